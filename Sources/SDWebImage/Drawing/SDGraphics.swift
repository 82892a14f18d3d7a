public import Foundation
public import WebImage
public import WebImageGraphics

/// Starts a drawing on this thread. The size is in points, and the scale is 1. ``SDGraphicsEndImageContext()`` ends
/// the drawing.
public func SDGraphicsBeginImageContext(_ size: CGSize) { SDGraphicsBeginImageContextWithOptions(size, false, 1) }

/// Starts a drawing on this thread. The size is in points. Scale 0 means the scale of the main screen.
/// ``SDGraphicsEndImageContext()`` ends the drawing.
///
/// No drawing starts if the size is not positive or is too large. ``SDGraphicsEndImageContext()`` must be called in
/// that case too.
public func SDGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    OpenDrawings.begin(size, isOpaque: opaque, scale: scale)
}

/// Returns the current drawing context of this thread. The context belongs to an open drawing or to a renderer that is
/// drawing. Nil if this thread has neither.
public func SDGraphicsGetCurrentContext() -> GraphicsContext? { GraphicsContext.current }

/// Returns the image of the innermost drawing of this thread. Nil if no drawing is open.
public func SDGraphicsGetImageFromCurrentImageContext() -> UIImage? { OpenDrawings.image }

/// Ends the innermost drawing of this thread. Does nothing if no drawing is open.
public func SDGraphicsEndImageContext() { OpenDrawings.end() }

/// The stack of this thread's open drawings.
private enum OpenDrawings {
    private static let key = "sdwebimage.open-drawings"
    /// One entry of the stack. `drawing` is nil if the drawing could not be started. An entry is stored even in that
    /// case. Without it, the end call would end the enclosing drawing.
    private struct Entry { var drawing: OpenDrawing? }

    private static var stack: [Entry] {
        get { Thread.current.threadDictionary[key] as? [Entry] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
    }

    static func begin(_ size: CGSize, isOpaque: Bool, scale: CGFloat) {
        let scale = scale > 0 && scale.isFinite ? scale : GraphicsImageRendererFormat.mainScreenScale
        let drawing = OpenDrawing(size: size, isOpaque: isOpaque, scale: scale)
        stack.append(Entry(drawing: drawing))
        if let drawing { GraphicsContext.pushCurrent(drawing.context) }
    }

    static var image: UIImage? { stack.last?.drawing?.image() }

    static func end() {
        guard let last = stack.popLast() else { return }
        if last.drawing != nil { GraphicsContext.popCurrent() }
    }
}

extension GraphicsContext {
    /// Sets the fill colour.
    public func setFillColor(_ color: UIColor) { fillColor = color }
    /// Sets the fill colour from components between 0 and 1.
    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        fillColor = UIColor(red: Double(red), green: Double(green), blue: Double(blue), alpha: Double(alpha))
    }
    /// Sets the stroke colour.
    public func setStrokeColor(_ color: UIColor) { strokeColor = color }
    /// Sets the stroke colour from components between 0 and 1.
    public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        strokeColor = UIColor(red: Double(red), green: Double(green), blue: Double(blue), alpha: Double(alpha))
    }
    /// Sets the line width in points.
    public func setLineWidth(_ width: CGFloat) { lineWidth = width }
    /// Sets the opacity of everything that is drawn later. The opacity is 0…1.
    public func setAlpha(_ alpha: CGFloat) { self.alpha = Double(alpha) }
    /// Sets how everything that is drawn later is blended with the existing content.
    public func setBlendMode(_ mode: BlendMode) { blendMode = mode }
}

extension ImageColor {
    /// This colour itself. The drawing functions of this package accept `UIColor`, so no conversion is necessary.
    public var cgColor: UIColor { self }
    /// Sets this colour as the fill colour of the current drawing. Does nothing outside a drawing.
    public func setFill() { GraphicsContext.current?.fillColor = self }
    /// Sets this colour as the stroke colour of the current drawing. Does nothing outside a drawing.
    public func setStroke() { GraphicsContext.current?.strokeColor = self }
    /// Sets this colour as the fill and stroke colour of the current drawing. Does nothing outside a drawing.
    public func set() {
        setFill()
        setStroke()
    }
}

extension Image {
    /// Draws the image into a rectangle of the current drawing. Does nothing outside a drawing.
    public func draw(in rect: CGRect) { GraphicsContext.current?.draw(self, in: rect) }
    /// Draws the image at its own size into the current drawing. The top left corner of the image is at `point`. Does
    /// nothing outside a drawing.
    public func draw(at point: CGPoint) { GraphicsContext.current?.draw(self, at: point) }
    /// Draws the image into a rectangle with a blend mode and an opacity (0…1). Does nothing outside a drawing.
    public func draw(in rect: CGRect, blendMode: BlendMode, alpha: CGFloat) {
        guard let context = GraphicsContext.current else { return }
        context.withGState {
            context.blendMode = blendMode
            context.alpha = Double(alpha)
            context.draw(self, in: rect)
        }
    }
}

/// Fills a rectangle of the current drawing. Does nothing outside a drawing.
public func UIRectFill(_ rect: CGRect) { GraphicsContext.current?.fill(rect) }

/// Fills a rectangle of the current drawing with a blend mode. Does nothing outside a drawing.
public func UIRectFillUsingBlendMode(_ rect: CGRect, _ mode: BlendMode) {
    guard let context = GraphicsContext.current else { return }
    context.withGState {
        context.blendMode = mode
        context.fill(rect)
    }
}
