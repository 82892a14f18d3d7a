import CWebImageGTK
import Foundation
import WebImageCore
import WebImageGraphics

/// A copy of the part of a texture that a view shows, with one pixel for each pixel of the screen.
///
/// A picture that covers or fills its view is decoded before its proportions are known, so it has more pixels than the view,
/// and so has a picture that the program made itself or decoded for another view. GTK interpolates them when it draws the
/// picture, which blurs fine detail or shows steps.
@MainActor final class ExactTexture {
    private struct Shape: Equatable, Sendable {
        var region: PixelRegion
        var size: PixelSize
    }

    private let texture: Texture
    private let pixelSize: PixelSize
    private var copy: (texture: Texture, shape: Shape)?
    /// The copy of the frame before, which is drawn until that of this frame is ready. Without it, every frame of an animation
    /// would be drawn twice, first by GTK and then exactly, and would flicker.
    private var before: (texture: Texture, shape: Shape)?
    private var isCopying = false

    /// A copy of a texture of at most this number of pixels is made while the view is drawn, which takes about
    /// 0.2 ms in a release build.
    private static let pixelsAtOnce = 256 * 256
    /// A larger texture is drawn by GTK, because its copy takes long.
    private static let mostPixels = 64 << 20
    /// The same for a texture whose pixels must be downloaded first, which takes as much memory once more.
    private static let mostDownloadedPixels = 8 << 20
    private static let queue = DispatchQueue(label: "webimage.exact-textures", qos: .userInitiated)

    /// - Parameter previous: that of the frame before, if an animation shows the texture. If its copy came too late to be drawn,
    ///   it is not drawn for this frame either: an animation whose frames are shorter than a copy takes would stand still.
    init(_ texture: Texture, after previous: ExactTexture?) {
        self.texture = texture
        pixelSize = texture.pixelSize
        before = previous?.copy
    }

    /// Returns the copy for a drawing; nil if the texture itself must be drawn. This is so if the texture has no more pixels
    /// than the drawing, if the drawing lies between the pixels of the screen, and until a copy of a large texture is ready,
    /// unless there is a copy of the frame before.
    ///
    /// - Parameters:
    ///   - visible: the visible part of `rect`, which the copy fills.
    ///   - rect: the rectangle of the whole texture, in points.
    ///   - scale: the number of device pixels of a point.
    ///   - changed: called when a copy is ready.
    func version(
        for visible: CGRect, of rect: CGRect, scale: CGFloat, changed: @escaping @MainActor () -> Void
    ) -> Texture? {
        guard !texture.hasHighRange, let shape = shape(visible, of: rect, scale) else { return nil }
        if let copy, copy.shape == shape { return copy.texture }
        guard pixelSize.pixelCount <= Self.pixelsAtOnce else {
            begin(shape, changed)
            return before?.shape == shape ? before?.texture : nil
        }
        copy = Self.copy(of: texture, shape).map { ($0, shape) }
        return copy?.texture
    }

    private func shape(_ visible: CGRect, of rect: CGRect, _ scale: CGFloat) -> Shape? {
        let pixels = CGRect(
            x: visible.minX * scale, y: visible.minY * scale, width: visible.width * scale,
            height: visible.height * scale)
        let most = texture.shared == nil ? Self.mostDownloadedPixels : Self.mostPixels
        guard pixelSize.pixelCount <= most, pixels.width >= 1, pixels.height >= 1,
            [pixels.minX, pixels.minY, pixels.width, pixels.height].allSatisfy({ abs($0 - $0.rounded()) < 1e-3 })
        else { return nil }
        let size = PixelSize(width: Int(pixels.width.rounded()), height: Int(pixels.height.rounded()))
        let (x, y) = (Double(pixelSize.width) / rect.width, Double(pixelSize.height) / rect.height)
        let region = PixelRegion(
            left: (visible.minX - rect.minX) * x, top: (visible.minY - rect.minY) * y, width: visible.width * x,
            height: visible.height * y)
        let (wider, higher) = (region.width - Double(size.width), region.height - Double(size.height))
        // A picture that was decoded for the drawing has these pixels already.
        guard min(wider, higher) > -1e-3, max(wider, higher) > 1e-3 else { return nil }
        return Shape(region: region.limited(to: pixelSize), size: size)
    }

    /// Makes a copy in the background. While a window is resized, the size changes faster than copies are made; then the next
    /// drawing begins the next copy.
    private func begin(_ shape: Shape, _ changed: @escaping @MainActor () -> Void) {
        guard !isCopying else { return }
        isCopying = true
        Self.queue.async { [weak self, texture] in
            // The next frame has taken the place of this one.
            guard self != nil else { return }
            let made = Self.copy(of: texture, shape)
            MainThread.run {
                guard let self else { return }
                self.before = nil
                // If memory is short, the texture itself is drawn, and the copy is not tried again.
                if let made {
                    self.isCopying = false
                    self.copy = (made, shape)
                }
                changed()
            }
        }
    }

    nonisolated private static func copy(of texture: Texture, _ shape: Shape) -> Texture? {
        // A download would copy all pixels, also those that are cut off.
        guard let whole = texture.shared ?? texture.downloaded()?.pixels,
            let pixels = try? whole.scaled(to: shape.size, from: shape.region)
        else { return nil }
        return Texture(sharing: pixels)
    }
}
