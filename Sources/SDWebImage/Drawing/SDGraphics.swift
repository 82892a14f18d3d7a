public import Foundation
public import WebImage
public import WebImageGraphics

/// Opens a drawing of a size in points at scale 1 in this thread, until ``SDGraphicsEndImageContext()``.
public func SDGraphicsBeginImageContext(_ size: CGSize) { SDGraphicsBeginImageContextWithOptions(size, false, 1) }

/// Opens a drawing in this thread, until ``SDGraphicsEndImageContext()``; scale 0 is the main screen's.
///
/// A size that is not positive, or too large, opens none: then there is no current context.
public func SDGraphicsBeginImageContextWithOptions(_ size: CGSize, _ opaque: Bool, _ scale: CGFloat) {
    OpenDrawings.begin(size, isOpaque: opaque, scale: scale)
}

/// The current context of this thread: that of an open drawing or a renderer; nil outside.
public func SDGraphicsGetCurrentContext() -> GraphicsContext? { GraphicsContext.current }

/// The content of the innermost open drawing of this thread; nil without one.
public func SDGraphicsGetImageFromCurrentImageContext() -> UIImage? { OpenDrawings.image }

/// Ends the innermost open drawing of this thread; nothing without one.
public func SDGraphicsEndImageContext() { OpenDrawings.end() }

/// The drawings that are open in this thread.
private enum OpenDrawings {
    private static let key = "sdwebimage.open-drawings"
    /// A placeholder for a drawing that could not be opened, so that each end matches a beginning.
    private struct Entry { var drawing: OpenDrawing? }

    private static var stack: [Entry] {
        get { Thread.current.threadDictionary[key] as? [Entry] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
    }

    static func begin(_ size: CGSize, isOpaque: Bool, scale: CGFloat) {
        let scale = scale > 0 && scale.isFinite ? scale : SDGraphicsImageRendererFormat.mainScreenScale
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
    /// Sets the colour that areas are filled with.
    public func setFillColor(_ color: UIColor) { fillColor = color }
    /// Sets the colour that areas are filled with, of components between 0 and 1.
    public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        fillColor = UIColor(red: Double(red), green: Double(green), blue: Double(blue), alpha: Double(alpha))
    }
    /// Sets the colour of lines.
    public func setStrokeColor(_ color: UIColor) { strokeColor = color }
    /// Sets the width of lines in points.
    public func setLineWidth(_ width: CGFloat) { lineWidth = width }
    /// Sets the opacity of all that is drawn, 0…1.
    public func setAlpha(_ alpha: CGFloat) { self.alpha = Double(alpha) }
    /// Sets how new drawing blends with the existing content.
    public func setBlendMode(_ mode: BlendMode) { blendMode = mode }
}

extension ImageColor {
    /// The colour itself, which is what drawing takes.
    public var cgColor: UIColor { self }
    /// Makes this the colour that areas of the current drawing are filled with; nothing outside a drawing.
    public func setFill() { GraphicsContext.current?.fillColor = self }
    /// Makes this the colour of the current drawing's lines; nothing outside a drawing.
    public func setStroke() { GraphicsContext.current?.strokeColor = self }
    /// Makes this the colour of the current drawing's areas and lines; nothing outside a drawing.
    public func set() {
        setFill()
        setStroke()
    }
}

extension Image {
    /// Draws the picture into a rectangle of the current drawing; nothing outside a drawing.
    public func draw(in rect: CGRect) { GraphicsContext.current?.draw(self, in: rect) }
    /// Draws the picture at its own size; nothing outside a drawing.
    public func draw(at point: CGPoint) { GraphicsContext.current?.draw(self, at: point) }
    /// Draws the picture into a rectangle, mixed with what is there, at an opacity; nothing outside a drawing.
    public func draw(in rect: CGRect, blendMode: BlendMode, alpha: CGFloat) {
        guard let context = GraphicsContext.current else { return }
        context.withGState {
            context.blendMode = blendMode
            context.alpha = Double(alpha)
            context.draw(self, in: rect)
        }
    }
}

/// Fills a rectangle of the current drawing; nothing outside a drawing.
public func UIRectFill(_ rect: CGRect) { GraphicsContext.current?.fill(rect) }
