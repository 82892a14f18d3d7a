import CWebImageGTK
import Foundation
import WebImageCore

/// The drawing of a view: its image, its background image and, during a transition, the previous image.
@MainActor final class PictureDrawing {
    /// A texture with its size in points.
    @MainActor struct Layer {
        let texture: Texture
        let size: CGSize
        fileprivate let versions: ReducedTexture
        fileprivate let exact: ExactTexture

        /// - Parameter previous: the frame before, if an animation shows the texture.
        init(texture: Texture, size: CGSize, after previous: Layer? = nil) {
            (self.texture, self.size) = (texture, size)
            versions = ReducedTexture(texture)
            exact = ExactTexture(texture, after: previous?.exact)
        }
    }

    /// The layers that are drawn above each other.
    @MainActor struct Layers {
        var picture: Layer?
        /// Fills the area.
        var background: Layer?

        var isEmpty: Bool { top == nil }
        /// The layer that determines the natural size.
        var top: Layer? { picture ?? background }
    }

    private let contents = Contents()
    private let drawing: Drawing

    /// Called when the drawing is drawn, with its size in points.
    var drawn: (@MainActor (CGSize) -> Void)? {
        get { contents.drawn }
        set { contents.drawn = newValue }
    }

    /// The number of device pixels of a point.
    var scaleFactor: @MainActor () -> CGFloat {
        get { contents.scaleFactor }
        set { contents.scaleFactor = newValue }
    }

    init() {
        drawing = Drawing { [contents] snapshot, bounds in contents.draw(snapshot, bounds) }
        contents.changed = { [weak drawing] in drawing?.redraw() }
    }

    /// The `GdkPaintable`.
    var pointer: OpaquePointer { drawing.pointer }

    /// Whether the drawing has neither content nor the natural size of a removed image.
    var isEmpty: Bool {
        contents.shown.isEmpty && contents.outgoing.isEmpty && contents.keptSize == nil
    }

    /// Removes the image. The natural size is unchanged until there is another image.
    func clearKeepingSize() {
        guard let picture = contents.shown.picture else { return }
        change {
            $0.shown.picture = nil
            $0.keptSize = picture.size
        }
    }

    /// The image. Another image of the same size causes a redraw and no new layout.
    var picture: Layer? {
        get { contents.shown.picture }
        set {
            change {
                $0.shown.picture = newValue
                $0.keptSize = nil
            }
        }
    }

    /// The background image, which fills the area.
    var background: Layer? {
        get { contents.shown.background }
        set { change { $0.shown.background = newValue } }
    }

    var mode: ImageContentMode {
        get { contents.mode }
        set { change { $0.mode = newValue } }
    }

    /// The corner radius of the drawn part of the image, in points.
    var cornerRadius: Double {
        get { contents.cornerRadius }
        set { change { $0.cornerRadius = newValue } }
    }

    /// An affine map that is applied around the centre of the area.
    var transform: CGAffineTransform {
        get { contents.transform }
        set { change { $0.transform = newValue } }
    }

    /// The image and the background image.
    var shownLayers: Layers { contents.shown }

    /// Starts a transition from `outgoing` to the image and its background image. `outgoing` can be nil. If `effect` is
    /// nil, ends the transition.
    func setTransition(_ effect: TransitionEffect?, from outgoing: Layers?, outgoingMode: ImageContentMode) {
        change {
            $0.effect = effect
            $0.outgoing = (effect == nil ? nil : outgoing) ?? Layers()
            $0.outgoingMode = outgoingMode
            $0.progress = 0
        }
    }

    /// The progress of the transition, 0…1.
    var progress: Double {
        get { contents.progress }
        set { change { $0.progress = newValue } }
    }

    private func change(_ body: (Contents) -> Void) {
        body(contents)
        let shown = contents.shown.top ?? contents.outgoing.top
        drawing.change(still: shown?.texture, size: shown?.size ?? contents.keptSize ?? .zero)
    }

    @MainActor fileprivate final class Contents {
        var shown = Layers()
        /// The size of the removed image, if it remains the natural size of the drawing.
        var keptSize: CGSize?
        /// The layers before the transition.
        var outgoing = Layers()
        var mode = ImageContentMode.fit
        var outgoingMode = ImageContentMode.fit
        var cornerRadius = 0.0
        var transform = CGAffineTransform.identity
        var effect: TransitionEffect?
        var progress = 0.0
        var drawn: (@MainActor (CGSize) -> Void)?
        var scaleFactor: @MainActor () -> CGFloat = { 1 }
        /// Called when the drawing looks different.
        var changed: @MainActor () -> Void = {}

        func draw(_ snapshot: OpaquePointer, _ bounds: CGRect) {
            if shown.picture != nil { drawn?(bounds.size) }
            let isMoved = !transform.isIdentity
            if isMoved { snapshot.push(transform, around: CGPoint(x: bounds.midX, y: bounds.midY)) }
            if let effect {
                effect.draw(snapshot, bounds, progress) { [self] in
                    draw(outgoing, mode: outgoingMode, snapshot, in: bounds)
                } incoming: { [self] in
                    draw(shown, mode: mode, snapshot, in: bounds)
                }
            } else {
                draw(shown, mode: mode, snapshot, in: bounds)
            }
            if isMoved { gtk_snapshot_restore(snapshot) }
        }

        private func draw(_ layers: Layers, mode: ImageContentMode, _ snapshot: OpaquePointer, in bounds: CGRect) {
            if let background = layers.background { draw(background, .fill, snapshot, bounds) }
            if let picture = layers.picture { draw(picture, mode, snapshot, bounds) }
        }

        private func draw(_ layer: Layer, _ mode: ImageContentMode, _ snapshot: OpaquePointer, _ bounds: CGRect) {
            let place = mode.rect(for: layer.size, in: bounds)
            // A picture that moves is drawn between pixels, otherwise it would jump.
            let rect = transform.isIdentity ? place.onWholePixels(scale: scaleFactor(), in: bounds) : place
            let visible = rect.intersection(bounds)
            let exact = transform.isIdentity ? layer.exact : nil
            let copy = exact?.version(for: visible, of: rect, scale: scaleFactor(), changed: changed)
            let isCutOff = copy == nil && !bounds.insetBy(dx: -0.01, dy: -0.01).contains(rect)
            let isClipped = cornerRadius > 0 || isCutOff
            if isClipped { snapshot.pushClip(visible, radius: cornerRadius) }
            if let copy {
                snapshot.append(copy, visible)
            } else {
                let zoom = max(hypot(transform.a, transform.b), hypot(transform.c, transform.d))
                layer.versions.draw(snapshot, in: rect, scale: scaleFactor() * zoom, changed: changed)
            }
            if isClipped { gtk_snapshot_pop(snapshot) }
        }
    }
}

extension CGRect {
    /// Returns the rectangle on whole device pixels, with its centre where it is, within half a pixel. GTK interpolates the
    /// pixels of a picture that is drawn between them, which blurs the picture.
    ///
    /// A length is rounded up, as that of a picture that is decoded for the rectangle. A side as long as that of `bounds`
    /// stays as it is.
    ///
    /// - Parameter scale: The number of device pixels of a point.
    func onWholePixels(scale: CGFloat, in bounds: CGRect) -> CGRect {
        func side(_ start: CGFloat, _ length: CGFloat, of limit: CGFloat) -> (start: CGFloat, length: CGFloat) {
            guard scale > 0, length > 0, abs(length - limit) > 1e-6, length * scale < 1e6 else {
                return (start, length)
            }
            // The product can be a few billionths above a whole number.
            let pixels = (length * scale - 1e-4).rounded(.up)
            // A half is rounded down, also if it is a few billionths above.
            let first = ((start + length / 2) * scale - pixels / 2 - 1e-4).rounded()
            return (first / scale, pixels / scale)
        }
        let across = side(minX, width, of: bounds.width)
        let down = side(minY, height, of: bounds.height)
        return CGRect(x: across.start, y: down.start, width: across.length, height: down.length)
    }
}
