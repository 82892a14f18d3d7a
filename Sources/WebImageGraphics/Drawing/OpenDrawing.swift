package import Foundation
package import WebImageCore

/// A drawing for callers that cannot draw in one closure. Use it on one thread only.
package final class OpenDrawing {
    /// The context to draw on.
    package let context: GraphicsContext
    private let scale: CGFloat
    private let isOpaque: Bool

    /// Returns nil if ``GraphicsImageRenderer`` does not accept the size, or if memory is short.
    package init?(size: CGSize, isOpaque: Bool, scale: CGFloat) {
        guard let pixelSize = PixelSize(points: size, scale: scale),
            max(pixelSize.width, pixelSize.height) <= GraphicsImageRenderer.maxSide,
            let canvas = try? Canvas(size: pixelSize, isOpaque: isOpaque)
        else { return nil }
        context = GraphicsContext(canvas, scale: scale)
        (self.scale, self.isOpaque) = (scale, isOpaque)
    }

    /// Returns a copy of the current drawing as an image; nil if memory is short.
    package func image() -> Image? {
        guard let pixels = try? context.canvas.pixels.copied() else { return nil }
        if isOpaque { try? pixels.makeOpaque(x: 0..<pixels.width, y: 0..<pixels.height) }
        return Image(pixels: pixels, scale: scale, hasAlpha: !isOpaque)
    }
}

extension GraphicsContext {
    private static let key = "webimage.graphics-context"

    /// The stack of contexts of this thread; the current context is last.
    private static var stack: [GraphicsContext] {
        get { Thread.current.threadDictionary[key] as? [GraphicsContext] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
    }

    /// The current context of this thread: the context that was pushed last. nil if no context is pushed.
    package static var current: GraphicsContext? { stack.last }

    /// Makes `context` the current context of this thread until ``popCurrent()`` is called.
    package static func pushCurrent(_ context: GraphicsContext) { stack.append(context) }

    /// Removes the current context of this thread. The context that was pushed before it becomes the current context.
    package static func popCurrent() { _ = stack.popLast() }
}
