public import Foundation
public import WebImageCore

/// The requested colour range of a drawing; the surface always has 8 bits of sRGB per channel.
public enum GraphicsImageRendererFormatRange: Int, Sendable, CaseIterable {
    /// No range is requested.
    case unspecified = -1
    /// The range of the screen.
    case automatic = 0
    /// Wider than sRGB.
    case extended
    /// sRGB.
    case standard
}

/// The scale, opacity and colour range of a ``GraphicsImageRenderer``'s pictures.
public struct GraphicsImageRendererFormat: Sendable, Hashable {
    /// Pixels per point of the main screen, at least 1; set by the program, 1 by default.
    public static var mainScreenScale: CGFloat {
        get { screenScale.withLock { $0 } }
        set { screenScale.withLock { $0 = newValue.isFinite ? max(newValue, 1) : 1 } }
    }
    private static let screenScale = Locked<CGFloat>(1)

    /// The format for the main screen: its scale and colour range, transparent.
    public static var preferred: GraphicsImageRendererFormat {
        var format = GraphicsImageRendererFormat()
        format.preferredRange = .automatic
        return format
    }

    /// Pixels per point; the main screen's by default.
    public var scale: CGFloat = mainScreenScale
    /// Whether the picture is opaque: it starts black instead of clear; false by default.
    public var opaque = false
    /// The requested colour range; the picture always has ``GraphicsImageRendererFormatRange/standard``.
    public var preferredRange = GraphicsImageRendererFormatRange.standard

    /// A format for the main screen.
    public init() {}
}

/// Draws pictures: `GraphicsImageRenderer(size: size).image { $0.fill(rect) }`.
///
/// A value, safe on any thread. Each picture is drawn on the calling thread.
public struct GraphicsImageRenderer: Sendable {
    /// The size of the picture in points.
    public let size: CGSize
    /// The scale, opacity and colour range of the picture.
    public let format: GraphicsImageRendererFormat

    /// Makes a renderer.
    public init(size: CGSize, format: GraphicsImageRendererFormat = .preferred) {
        self.size = size
        self.format = format
    }

    /// Returns the picture that `actions` draws; calls `actions` once, before it returns.
    ///
    /// - Returns: nil, without calling `actions`, when the size is not positive and finite, exceeds the default pixel
    ///   limit or 32,000 px per side, or memory is short.
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

    /// The largest side in pixels: pixman's coordinates end at 32,767, and shapes need room beside the picture.
    static let maxSide = 32_000
}
