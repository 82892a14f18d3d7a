public import Foundation
public import WebImageCore

/// The colour range of a drawing; the surface is 8-bit sRGB for every value.
public enum GraphicsImageRendererFormatRange: Int, Sendable, CaseIterable {
    /// Not specified.
    case unspecified = -1
    /// The range of the screen.
    case automatic = 0
    /// Wider than sRGB.
    case extended
    /// sRGB.
    case standard
}

/// How a ``GraphicsImageRenderer`` makes its picture.
public struct GraphicsImageRendererFormat: Sendable, Hashable {
    /// Pixels per point of the main screen; 1 until the program sets it.
    public static var mainScreenScale: CGFloat {
        get { screenScale.withLock { $0 } }
        set { screenScale.withLock { $0 = newValue.isFinite ? max(newValue, 1) : 1 } }
    }
    private static let screenScale = Locked<CGFloat>(1)

    /// The best format for the main screen: its scale, its colour range, transparent.
    public static var preferred: GraphicsImageRendererFormat {
        var format = GraphicsImageRendererFormat()
        format.preferredRange = .automatic
        return format
    }

    /// Pixels per point; that of the main screen by default.
    public var scale: CGFloat = mainScreenScale
    /// Whether the picture has no transparency and starts black instead of clear; false by default.
    public var opaque = false
    /// The requested colour range; the result is always ``GraphicsImageRendererFormatRange/standard``.
    public var preferredRange = GraphicsImageRendererFormatRange.standard

    /// A format for the main screen.
    public init() {}
}

/// Draws pictures: `GraphicsImageRenderer(size: size).image { $0.fill(rect) }`.
///
/// A value type, safe on any thread. Each picture is drawn on the calling thread.
public struct GraphicsImageRenderer: Sendable {
    /// The size of the picture in points.
    public let size: CGSize
    /// The format of the picture.
    public let format: GraphicsImageRendererFormat

    /// Makes a renderer.
    public init(size: CGSize, format: GraphicsImageRendererFormat = .preferred) {
        self.size = size
        self.format = format
    }

    /// Draws a picture with `actions`, which is called once before this function returns.
    ///
    /// - Returns: nil, without calling `actions`, when the size is not positive and finite, when it exceeds the default
    ///   pixel limit or 32,000 px a side, or when memory is short.
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

    /// The largest side in pixels; slightly below the range of pixman's coordinates (32,767).
    static let maxSide = 32_000
}
