public import Foundation
public import WebImageCore

/// Which colours a drawing can hold; the surface has 8 bits of sRGB whichever is asked for.
public enum GraphicsImageRendererFormatRange: Int, Sendable, CaseIterable {
    /// Not said.
    case unspecified = -1
    /// As the screen has them.
    case automatic = 0
    /// Wider than sRGB.
    case extended
    /// sRGB.
    case standard
}

/// How a ``GraphicsImageRenderer`` makes its picture.
public struct GraphicsImageRendererFormat: Sendable, Hashable {
    /// Pixels per point of the main screen, as the program says; 1 until it does.
    public static var mainScreenScale: CGFloat {
        get { screenScale.withLock { $0 } }
        set { screenScale.withLock { $0 = newValue.isFinite ? max(newValue, 1) : 1 } }
    }
    private static let screenScale = Locked<CGFloat>(1)

    /// The best for the main screen: its scale, transparent, colours as it has them.
    public static var preferred: GraphicsImageRendererFormat {
        var format = GraphicsImageRendererFormat()
        format.preferredRange = .automatic
        return format
    }

    /// Pixels per point; the main screen's at first.
    public var scale: CGFloat = mainScreenScale
    /// Whether the picture has no transparency: it begins black instead of clear; false at first.
    public var opaque = false
    /// Which colours are asked for; ``GraphicsImageRendererFormatRange/standard`` is what is given.
    public var preferredRange = GraphicsImageRendererFormatRange.standard

    /// A format for the main screen.
    public init() {}
}

/// Draws pictures: `GraphicsImageRenderer(size: size).image { $0.fill(rect) }`.
///
/// A value; safe on any thread, each picture is drawn on the thread that asks.
public struct GraphicsImageRenderer: Sendable {
    /// The size of the picture in points.
    public let size: CGSize
    /// How it is made.
    public let format: GraphicsImageRendererFormat

    /// Makes a renderer.
    public init(size: CGSize, format: GraphicsImageRendererFormat = .preferred) {
        self.size = size
        self.format = format
    }

    /// The picture that `actions` draws; called once, before this returns.
    ///
    /// - Returns: nil, without calling `actions`, for a size that is not positive and finite, that passes the default
    ///   pixel limit or 32,000 px a side, and when memory is short.
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

    /// What pixman's coordinates can address, and room beside it.
    static let maxSide = 32_000
}
