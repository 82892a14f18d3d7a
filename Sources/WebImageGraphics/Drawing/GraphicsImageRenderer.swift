public import Foundation
public import WebImageCore

/// The colour range of a drawing. The surface is always sRGB with 8 bits.
public enum GraphicsImageRendererFormatRange: Int, Sendable, CaseIterable {
    /// Unspecified.
    case unspecified = -1
    /// The range of the screen.
    case automatic = 0
    /// Wider than sRGB.
    case extended
    /// sRGB.
    case standard
}

/// The format of a ``GraphicsImageRenderer``'s image.
public struct GraphicsImageRendererFormat: Sendable, Hashable {
    /// The scale of the main screen in pixels per point, which the program sets; 1 by default.
    public static var mainScreenScale: CGFloat {
        get { screenScale.withLock { $0 } }
        set { screenScale.withLock { $0 = newValue.isFinite ? max(newValue, 1) : 1 } }
    }
    private static let screenScale = Locked<CGFloat>(1)

    /// The format for the main screen: its scale, transparent, its colour range.
    public static var preferred: GraphicsImageRendererFormat {
        var format = GraphicsImageRendererFormat()
        format.preferredRange = .automatic
        return format
    }

    /// Pixels per point; by default the scale of the main screen.
    public var scale: CGFloat = mainScreenScale
    /// Whether the image has no transparency and starts black instead of transparent; false by default.
    public var opaque = false
    /// The requested colour range; the result has ``GraphicsImageRendererFormatRange/standard``.
    public var preferredRange = GraphicsImageRendererFormatRange.standard

    /// Makes a format for the main screen.
    public init() {}
}

/// Draws images: `GraphicsImageRenderer(size: size).image { $0.fill(rect) }`.
///
/// A value, safe on any thread. Each image is drawn on the calling thread.
public struct GraphicsImageRenderer: Sendable {
    /// The size of the image in points.
    public let size: CGSize
    /// The format of the image.
    public let format: GraphicsImageRendererFormat

    /// Makes a renderer.
    public init(size: CGSize, format: GraphicsImageRendererFormat = .preferred) {
        self.size = size
        self.format = format
    }

    /// Returns the image that `actions` draws; `actions` runs once, before this returns.
    ///
    /// - Returns: nil, without a call of `actions`, if the size is not positive and finite, if it exceeds the default
    ///   pixel limit or 32,000 px on a side, or if the allocation fails.
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

    /// The range of pixman's coordinates with a reserve.
    static let maxSide = 32_000
}
