public import Foundation
public import WebImageCore

/// The requested colour range of a drawing. The requested range has no effect, because the surface always has sRGB
/// colours with 8 bits per channel.
public enum GraphicsImageRendererFormatRange: Int, Sendable, CaseIterable {
    /// No range is requested.
    case unspecified = -1
    /// The colour range of the main screen.
    case automatic = 0
    /// A colour range wider than sRGB.
    case extended
    /// The colour range of sRGB.
    case standard
}

/// The scale, opacity and colour range of a ``GraphicsImageRenderer``'s pictures.
public struct GraphicsImageRendererFormat: Sendable, Hashable {
    /// The number of pixels per point of the main screen; 1 by default. The program sets this value. A value that is
    /// below 1 or not finite is stored as 1.
    public static var mainScreenScale: CGFloat {
        get { screenScale.withLock { $0 } }
        set { screenScale.withLock { $0 = newValue.isFinite ? max(newValue, 1) : 1 } }
    }
    private static let screenScale = Locked<CGFloat>(1)

    /// The format for the main screen: the scale and colour range of the screen, and a transparent background.
    public static var preferred: GraphicsImageRendererFormat {
        var format = GraphicsImageRendererFormat()
        format.preferredRange = .automatic
        return format
    }

    /// The number of pixels per point. The default is ``mainScreenScale``.
    public var scale: CGFloat = mainScreenScale
    /// Whether the picture is opaque; false by default. Before the first shape is drawn, an opaque picture is black. A
    /// picture that is not opaque is transparent.
    public var opaque = false
    /// The requested colour range; the picture always has ``GraphicsImageRendererFormatRange/standard``.
    public var preferredRange = GraphicsImageRendererFormatRange.standard

    /// Creates a format with the scale of the main screen.
    public init() {}
}

/// Creates images by drawing, for example `GraphicsImageRenderer(size: size).image { $0.fill(rect) }`.
///
/// A value type; thread-safe. Each picture is drawn on the calling thread.
public struct GraphicsImageRenderer: Sendable {
    /// The size of the picture in points.
    public let size: CGSize
    /// The scale, opacity and colour range of the picture.
    public let format: GraphicsImageRendererFormat

    /// Creates a renderer for pictures of `size` points.
    public init(size: CGSize, format: GraphicsImageRendererFormat = .preferred) {
        self.size = size
        self.format = format
    }

    /// Returns the picture that `actions` draws. Calls `actions` once, synchronously.
    ///
    /// - Returns: nil if the size is not positive, is not finite, exceeds the default pixel limit, or has a side over
    ///   32,000 px. `actions` is not called for such a size. Also nil if memory is short.
    public func image(_ actions: (GraphicsContext) -> Void) -> Image? {
        guard let pixelSize = PixelSize(points: size, scale: format.scale),
            max(pixelSize.width, pixelSize.height) <= Self.maxSide
        else { return nil }
        do throws(WebImageError) {
            let canvas = try Canvas(size: pixelSize, isOpaque: format.opaque)
            let context = GraphicsContext(canvas, scale: format.scale)
            GraphicsContext.pushCurrent(context)
            actions(context)
            GraphicsContext.popCurrent()
            context.end()
            if format.opaque { try canvas.pixels.makeOpaque(x: 0..<pixelSize.width, y: 0..<pixelSize.height) }
            return Image(pixels: canvas.pixels, scale: format.scale, hasAlpha: !format.opaque)
        } catch {
            WebImageLog.shared.log(.warning, "drawing failed: \(error)", metadata: error.logMetadata)
            return nil
        }
    }

    /// The maximum side in pixels. pixman's coordinates end at 32,767, and shapes can extend beyond the picture.
    static let maxSide = 32_000
}
