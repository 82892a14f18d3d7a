import CWebImageGTK
import Foundation
import WebImageCore

/// The colour states of GTK 4.16 and later, which say what the values of a texture mean. The functions are looked up when the
/// program runs, because the package also supports GTK 4.8.
struct ColorState: Sendable {
    private typealias MakeObject = @convention(c) () -> OpaquePointer?
    private typealias SetNumber = @convention(c) (OpaquePointer, UInt32) -> Void
    private typealias SetInt = @convention(c) (OpaquePointer, gint) -> Void
    private typealias SetSize = @convention(c) (OpaquePointer, gsize) -> Void
    private typealias SetPointer = @convention(c) (OpaquePointer, OpaquePointer?) -> Void
    private typealias BuildState =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>?) -> OpaquePointer?
    private typealias Build = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias Release = @convention(c) (OpaquePointer) -> Void

    private let makeParameters: MakeObject
    private let setPrimaries: SetNumber
    private let setTransfer: SetNumber
    private let setMatrix: SetNumber
    private let setRange: SetNumber
    private let buildState: BuildState
    private let releaseState: Release
    private let makeBuilder: MakeObject
    private let setWidth: SetInt
    private let setHeight: SetInt
    private let setStride: SetSize
    private let setFormat: SetNumber
    private let setBytes: SetPointer
    private let setState: SetPointer
    private let build: Build

    /// Nil before GTK 4.16.
    static let shared = ColorState()

    private init?() {
        func function<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(nil, name).map { unsafeBitCast($0, to: type) }
        }
        guard let makeParameters = function("gdk_cicp_params_new", as: MakeObject.self),
            let setPrimaries = function("gdk_cicp_params_set_color_primaries", as: SetNumber.self),
            let setTransfer = function("gdk_cicp_params_set_transfer_function", as: SetNumber.self),
            let setMatrix = function("gdk_cicp_params_set_matrix_coefficients", as: SetNumber.self),
            let setRange = function("gdk_cicp_params_set_range", as: SetNumber.self),
            let buildState = function("gdk_cicp_params_build_color_state", as: BuildState.self),
            let releaseState = function("gdk_color_state_unref", as: Release.self),
            let makeBuilder = function("gdk_memory_texture_builder_new", as: MakeObject.self),
            let setWidth = function("gdk_memory_texture_builder_set_width", as: SetInt.self),
            let setHeight = function("gdk_memory_texture_builder_set_height", as: SetInt.self),
            let setStride = function("gdk_memory_texture_builder_set_stride", as: SetSize.self),
            let setFormat = function("gdk_memory_texture_builder_set_format", as: SetNumber.self),
            let setBytes = function("gdk_memory_texture_builder_set_bytes", as: SetPointer.self),
            let setState = function("gdk_memory_texture_builder_set_color_state", as: SetPointer.self),
            let build = function("gdk_memory_texture_builder_build", as: Build.self)
        else { return nil }
        (self.makeParameters, self.buildState, self.releaseState) = (makeParameters, buildState, releaseState)
        (self.setPrimaries, self.setTransfer) = (setPrimaries, setTransfer)
        (self.setMatrix, self.setRange) = (setMatrix, setRange)
        (self.makeBuilder, self.setWidth, self.setHeight) = (makeBuilder, setWidth, setHeight)
        (self.setStride, self.setFormat, self.setBytes) = (setStride, setFormat, setBytes)
        (self.setState, self.build) = (setState, build)
    }

    /// Returns a texture of pixels whose values have these code points of ITU-T H.273. Nil if GTK does not know them.
    func texture(
        of pixels: PixelBuffer, format: GdkMemoryFormat, bytes: OpaquePointer,
        codePoints: (primaries: Int, transfer: Int)
    ) -> OpaquePointer? {
        guard let parameters = makeParameters() else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(parameters)) }
        setPrimaries(parameters, UInt32(codePoints.primaries))
        setTransfer(parameters, UInt32(codePoints.transfer))
        // RGB with the full range.
        setMatrix(parameters, 0)
        setRange(parameters, 1)
        guard let state = buildState(parameters, nil), let builder = makeBuilder() else { return nil }
        defer {
            releaseState(state)
            g_object_unref(UnsafeMutableRawPointer(builder))
        }
        setWidth(builder, gint(pixels.width))
        setHeight(builder, gint(pixels.height))
        setStride(builder, gsize(pixels.bytesPerRow))
        setFormat(builder, format.rawValue)
        setBytes(builder, bytes)
        setState(builder, state)
        return build(builder)
    }
}
