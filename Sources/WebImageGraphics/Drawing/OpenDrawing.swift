package import Foundation
package import WebImageCore

/// A drawing for callers that do not draw in one closure; used by one thread.
package final class OpenDrawing {
    /// The context to draw on.
    package let context: GraphicsContext
    private let scale: CGFloat
    private let isOpaque: Bool

    /// Nil for a size that ``GraphicsImageRenderer`` refuses, and when memory is short.
    package init?(size: CGSize, isOpaque: Bool, scale: CGFloat) {
        guard let pixelSize = PixelSize(points: size, scale: scale),
            max(pixelSize.width, pixelSize.height) <= GraphicsImageRenderer.maxSide,
            let canvas = try? Canvas(size: pixelSize, isOpaque: isOpaque)
        else { return nil }
        context = GraphicsContext(canvas, scale: scale)
        (self.scale, self.isOpaque) = (scale, isOpaque)
    }

    /// Returns a copy of the drawing so far; nil when memory is short.
    package func image() -> Image? {
        guard let pixels = try? context.canvas.pixels.copied() else { return nil }
        if isOpaque { try? pixels.makeOpaque(x: 0..<pixels.width, y: 0..<pixels.height) }
        return Image(pixels: pixels, scale: scale, hasAlpha: !isOpaque)
    }
}

extension GraphicsContext {
    private static let key = "webimage.graphics-context"

    /// The open contexts of this thread, the innermost last.
    private static var stack: [GraphicsContext] {
        get { Thread.current.threadDictionary[key] as? [GraphicsContext] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
    }

    /// The innermost open context of this thread; nil when there is none.
    package static var current: GraphicsContext? { stack.last }

    /// Makes a context the thread's current one until ``popCurrent()``.
    package static func pushCurrent(_ context: GraphicsContext) { stack.append(context) }

    /// Makes the previous context the thread's current one.
    package static func popCurrent() { _ = stack.popLast() }
}
