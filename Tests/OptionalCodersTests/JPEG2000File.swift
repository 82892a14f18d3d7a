import CWebImageJPEG2000
import Foundation
import Testing
import WebImageCore

/// Writes JPEG 2000 files: the codestream by OpenJPEG's encoder, the boxes by itself, so that they can say everything that
/// the format allows.
struct JPEG2000File {
    struct Component {
        var bits = 8
        var isSigned = false
        /// The distance of two samples on the reference grid.
        var distance = 1
        /// The sample at a position of the reference grid.
        let sample: (_ x: Int, _ y: Int) -> Int
    }

    var size: PixelSize
    var components: [Component]
    /// The position of the picture on the reference grid.
    var origin = (x: 0, y: 0)
    /// The side of a tile; nil for one tile.
    var tileSide: Int?
    var resolutions = 6
    /// Whether the filter of the wavelet is reversible; otherwise the file has about 1 byte for each `rate` bytes.
    var rate: Float?
    /// The boxes in `jp2h` after `ihdr`.
    var boxes: [Data] = []

    init(size: PixelSize, components: [Component]) { (self.size, self.components) = (size, components) }

    /// The file with boxes.
    var data: Data {
        get throws {
            let codestream = try codestream
            let header = Self.box(
                "ihdr",
                Self.number(size.height, 4) + Self.number(size.width, 4) + Self.number(components.count, 2)
                    + [components[0].bits == components.last?.bits ? UInt8(components[0].bits - 1) : 255, 7, 0, 0])
            return Self.box("jP  ", Data([0x0D, 0x0A, 0x87, 0x0A]))
                + Self.box("ftyp", Data("jp2 ".utf8) + Self.number(0, 4) + Data("jp2 ".utf8))
                + Self.box("jp2h", boxes.reduce(header) { $0 + $1 }) + Self.box("jp2c", codestream)
        }
    }

    // MARK: Boxes

    static func box(_ type: String, _ content: Data) -> Data {
        number(content.count + 8, 4) + Data(type.utf8) + content
    }

    static func color(_ space: Int) -> Data { box("colr", Data([1, 0, 0]) + number(space, 4)) }

    static func color(_ profile: Data) -> Data { box("colr", Data([2, 0, 0]) + profile) }

    /// - Parameter channels: The type (0 colour, 1 alpha, 2 premultiplied) and association (0 all) of each channel.
    static func definition(_ channels: [(type: Int, association: Int)]) -> Data {
        box(
            "cdef",
            channels.enumerated().reduce(number(channels.count, 2)) { data, channel in
                data + number(channel.offset, 2) + number(channel.element.type, 2)
                    + number(channel.element.association, 2)
            })
    }

    /// A palette of 8 bits, and the box that applies it to the first channel.
    static func palette(_ entries: [[UInt8]]) -> Data {
        let columns = entries[0].count
        let head = number(entries.count, 2) + [UInt8(columns)] + Data(repeating: 7, count: columns)
        let map = (0..<columns).reduce(Data()) { $0 + number(0, 2) + [1, UInt8($1)] }
        return box("pclr", entries.reduce(head) { $0 + $1 }) + box("cmap", map)
    }

    private static func number(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    // MARK: Codestream

    /// The file without boxes.
    var codestream: Data {
        get throws {
            let library = try OpenJPEGEncoder.shared
            var parameters = components.map { component in
                var parameters = opj_image_cmptparm_t()
                func count(_ first: Int, _ length: Int) -> UInt32 {
                    let step = component.distance
                    return UInt32((first + length + step - 1) / step - (first + step - 1) / step)
                }
                (parameters.dx, parameters.dy) = (UInt32(component.distance), UInt32(component.distance))
                (parameters.w, parameters.h) = (count(origin.x, size.width), count(origin.y, size.height))
                parameters.prec = UInt32(component.bits)
                parameters.sgnd = component.isSigned ? 1 : 0
                return parameters
            }
            let image = try #require(library.imageCreate(UInt32(components.count), &parameters, OPJ_CLRSPC_UNSPECIFIED))
            defer { library.imageDestroy(image) }
            (image.pointee.x0, image.pointee.y0) = (UInt32(origin.x), UInt32(origin.y))
            (image.pointee.x1, image.pointee.y1) = (UInt32(origin.x + size.width), UInt32(origin.y + size.height))
            for (index, component) in components.enumerated() {
                let plane = image.pointee.comps[index]
                let step = component.distance
                let (left, top) = ((origin.x + step - 1) / step, (origin.y + step - 1) / step)
                for y in 0..<Int(plane.h) {
                    for x in 0..<Int(plane.w) {
                        plane.data[y * Int(plane.w) + x] = Int32(
                            component.sample((left + x) * step - origin.x, (top + y) * step - origin.y))
                    }
                }
            }
            return try encode(image, library)
        }
    }

    private func encode(_ image: UnsafeMutablePointer<opj_image_t>, _ library: OpenJPEGEncoder) throws -> Data {
        let parameters = UnsafeMutablePointer<opj_cparameters_t>.allocate(capacity: 1)
        defer { parameters.deallocate() }
        library.setDefaults(parameters)
        parameters.pointee.tcp_numlayers = 1
        parameters.pointee.cp_disto_alloc = 1
        parameters.pointee.tcp_rates.0 = rate ?? 0
        parameters.pointee.irreversible = rate == nil ? 0 : 1
        // OpenJPEG refuses to halve a side of one sample.
        let side =
            components.map { component in
                min(size.width, size.height, tileSide ?? .max) / component.distance
            }.min() ?? 1
        parameters.pointee.numresolution = Int32(min(resolutions, Int(log2(Double(max(side, 1)))) + 1))
        if let tileSide {
            parameters.pointee.tile_size_on = 1
            (parameters.pointee.cp_tdx, parameters.pointee.cp_tdy) = (Int32(tileSide), Int32(tileSide))
            // The first tile contains the first pixel.
            parameters.pointee.cp_tx0 = Int32(origin.x / tileSide * tileSide)
            parameters.pointee.cp_ty0 = Int32(origin.y / tileSide * tileSide)
        }
        let codec = try #require(library.createCompress(OPJ_CODEC_J2K))
        defer { library.destroyCodec(codec) }
        try #require(library.setup(codec, parameters, image) != 0)
        let stream = try #require(library.streamCreate(1 << 16, 0))
        defer { library.streamDestroy(stream) }
        let output = OpenJPEGOutput()
        return try withExtendedLifetime(output) {
            library.setUserData(stream, Unmanaged.passUnretained(output).toOpaque(), nil)
            library.setWrite(stream, OpenJPEGOutput.write)
            library.setSkip(stream, OpenJPEGOutput.skip)
            library.setSeek(stream, OpenJPEGOutput.seek)
            try #require(
                library.start(codec, image, stream) != 0 && library.encode(codec, stream) != 0
                    && library.end(codec, stream) != 0)
            return output.data
        }
    }
}

/// The memory that the encoder writes to.
private final class OpenJPEGOutput {
    var data = Data()
    private var place = 0

    private static func object(_ context: UnsafeMutableRawPointer?) -> OpenJPEGOutput {
        Unmanaged<OpenJPEGOutput>.fromOpaque(context!).takeUnretainedValue()
    }

    private func reach(_ end: Int) {
        if end > data.count { data.append(Data(count: end - data.count)) }
    }

    static let write: opj_stream_write_fn = { buffer, count, context in
        let output = object(context)
        output.reach(output.place + Int(count))
        output.data.replaceSubrange(
            output.place..<output.place + Int(count), with: UnsafeRawBufferPointer(start: buffer, count: Int(count)))
        output.place += Int(count)
        return count
    }

    static let skip: opj_stream_skip_fn = { count, context in
        let output = object(context)
        output.place += Int(count)
        output.reach(output.place)
        return count
    }

    static let seek: opj_stream_seek_fn = { position, context in
        object(context).place = Int(position)
        return 1
    }
}

/// The functions of OpenJPEG's encoder, which the library itself does not use.
private struct OpenJPEGEncoder: @unchecked Sendable {
    // Unchecked, because it contains only addresses of functions.
    let setDefaults: @convention(c) (UnsafeMutablePointer<opj_cparameters_t>) -> Void
    let imageCreate:
        @convention(c) (UInt32, UnsafeMutablePointer<opj_image_cmptparm_t>, OPJ_COLOR_SPACE) -> UnsafeMutablePointer<
            opj_image_t
        >?
    let imageDestroy: @convention(c) (UnsafeMutablePointer<opj_image_t>) -> Void
    let createCompress: @convention(c) (OPJ_CODEC_FORMAT) -> UnsafeMutableRawPointer?
    let destroyCodec: @convention(c) (UnsafeMutableRawPointer) -> Void
    let setup:
        @convention(c) (
            UnsafeMutableRawPointer, UnsafeMutablePointer<opj_cparameters_t>, UnsafeMutablePointer<opj_image_t>
        ) -> Int32
    let start:
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<opj_image_t>, UnsafeMutableRawPointer) -> Int32
    let encode: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int32
    let end: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Int32
    let streamCreate: @convention(c) (Int, Int32) -> UnsafeMutableRawPointer?
    let streamDestroy: @convention(c) (UnsafeMutableRawPointer) -> Void
    let setUserData:
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer, opj_stream_free_user_data_fn?) -> Void
    let setWrite: @convention(c) (UnsafeMutableRawPointer, opj_stream_write_fn) -> Void
    let setSkip: @convention(c) (UnsafeMutableRawPointer, opj_stream_skip_fn) -> Void
    let setSeek: @convention(c) (UnsafeMutableRawPointer, opj_stream_seek_fn) -> Void

    static var shared: OpenJPEGEncoder {
        get throws { try loaded.get() }
    }

    private static let loaded = Result { try OpenJPEGEncoder() }

    private init() throws {
        let handle = try #require(dlopen(OPENJPEG_LIBRARY, RTLD_NOW))
        func find<Function>(_ name: String) throws -> Function {
            unsafeBitCast(try #require(dlsym(handle, name)), to: Function.self)
        }
        setDefaults = try find("opj_set_default_encoder_parameters")
        imageCreate = try find("opj_image_create")
        imageDestroy = try find("opj_image_destroy")
        createCompress = try find("opj_create_compress")
        destroyCodec = try find("opj_destroy_codec")
        setup = try find("opj_setup_encoder")
        start = try find("opj_start_compress")
        encode = try find("opj_encode")
        end = try find("opj_end_compress")
        streamCreate = try find("opj_stream_create")
        streamDestroy = try find("opj_stream_destroy")
        setUserData = try find("opj_stream_set_user_data")
        setWrite = try find("opj_stream_set_write_function")
        setSkip = try find("opj_stream_set_skip_function")
        setSeek = try find("opj_stream_set_seek_function")
    }
}
