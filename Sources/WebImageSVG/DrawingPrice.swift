import Foundation
import WebImageCore

/// An upper bound of the cost of drawing: processor time in nanoseconds, and surfaces of the size of the drawing.
///
/// librsvg 2.54 cannot be interrupted while it draws, and 200 bytes can state work for years: a filter with a million
/// octaves. Therefore the cost of each element is estimated before librsvg draws, from attributes and style sheets
/// alone. The rates were measured with librsvg 2.54 on a processor of 2.5 GHz.
struct DrawingPrice {
    var nanoseconds = 0.0
    var surfaces = 1.0

    /// The area on which a price is computed, and the values of the whole document that affect it.
    struct Canvas {
        let size: PixelSize
        /// The size of the document in user units of its outermost element.
        let document: SVGSize
        /// The widest outline of the document, in user units.
        let strokeWidth: Double
        /// The length of the shortest dash pattern of the document, in user units; nil if there is none.
        let dashes: Double?
        /// The time of painting one pixel of a shape, in nanoseconds.
        let paintRate: Double

        var pixels: Double { Double(size.pixelCount) }

        /// The pixels of a box with sides in user units, on a surface where one user unit is at most `scale` pixels.
        /// The whole canvas if the size of the box is unknown.
        func pixels(_ box: SVGSize?, scale: Double, border: Double = 0) -> Double {
            guard let box else { return pixels }
            let width = min((box.width + border) * scale + 2, Double(size.width))
            let height = min((box.height + border) * scale + 2, Double(size.height))
            let area = width * height
            return area.isNaN ? pixels : min(area, pixels)
        }

        /// The time of drawing a shape in nanoseconds.
        func time(of shape: ShapeExtent, scale: Double) -> Double {
            let dashCount = dashes.map { shape.length / $0 } ?? 0
            let segments = Double(shape.segmentCount)
            let outline = segments * Rate.segment + dashCount * Rate.dash
            let overlaps = (segments + dashCount) * shape.overlap * Rate.overlap
            return pixels(shape.size, scale: scale, border: strokeWidth) * paintRate + outline + overlaps
        }
    }

    /// The rates in nanoseconds.
    enum Rate {
        /// An element without content.
        static let element = 5_000.0
        /// One pixel of a layer: opacity, clipping, isolation.
        static let layer = 2.0
        /// One pixel of a mask, or of a layer with a blend mode.
        static let mask = 12.0
        /// One pixel of the canvas for each filter, however small its region is.
        static let filterCanvas = 8.0
        /// One pixel of a filter function such as `blur(5px)`.
        static let filterFunction = 400.0
        /// One pixel in the region of a filter, without the primitives.
        static let filterRegion = 60.0
        /// Two segments of an outline that cross the same horizontal line.
        static let overlap = 120.0
        /// One segment of an outline.
        static let segment = 2_000.0
        /// One dash of an outline.
        static let dash = 500.0
        /// A pair of characters in one run of text. Pango's time grows with the square of the length.
        static let characterPair = 40.0
        static let character = 20_000.0
        /// A stop of a gradient.
        static let stop = 30_000.0
    }

    /// The largest font size in pixels. librsvg stops the process if a text is taller than 2,000,000 px.
    static let largestFont = 100_000.0

    /// The largest number of weights of a convolution that librsvg 2.54 reads.
    static let largestKernel = 400.0
}

/// A filter primitive and the parameters that determine its time.
enum FilterPrimitive {
    /// A primitive whose time depends only on the pixels.
    case plain(rate: Double)
    /// The radii in user units.
    case morphology(x: Double, y: Double)
    /// `rate` for each pixel, on a surface that is scaled so that one pixel has the size of the unit. The sides of the
    /// unit are in user units.
    case scaled(rate: Double, unitX: Double, unitY: Double)

    /// Returns nil if the element is not a filter primitive.
    init?(_ name: String, _ value: (String) -> String?) {
        func numbers(_ key: String) -> [Double] { value(key).map { SVGLength.numbers($0) } ?? [] }
        func pair(_ key: String) -> (Double, Double)? {
            let all = numbers(key)
            return all.first.map { (abs($0), abs(all.count > 1 ? all[1] : $0)) }
        }
        func withUnit(_ rate: Double) -> FilterPrimitive {
            guard let unit = pair("kernelUnitLength") else { return .plain(rate: rate) }
            return .scaled(rate: rate + 120, unitX: unit.0, unitY: unit.1)
        }
        switch name {
        case "feTurbulence":
            self = .plain(rate: 60 + 60 * max(numbers("numOctaves").first ?? 1, 1))
        case "feMorphology":
            let radius = pair("radius") ?? (0, 0)
            self = .morphology(x: radius.0, y: radius.1)
        case "feConvolveMatrix":
            let order = pair("order") ?? (3, 3)
            self = withUnit(60 + 6 * order.0 * order.1)
        case "feDiffuseLighting", "feSpecularLighting": self = withUnit(120)
        case "feGaussianBlur": self = .plain(rate: 250)
        case "feDropShadow": self = .plain(rate: 350)
        case "feDisplacementMap": self = .plain(rate: 600)
        case "feMergeNode", "feBlend", "feComposite", "feComponentTransfer", "feColorMatrix": self = .plain(rate: 40)
        case "feFlood", "feOffset", "feTile", "feImage", "feMerge": self = .plain(rate: 20)
        default: return nil
        }
    }

    /// The time for a number of pixels in nanoseconds.
    func time(pixels: Double, scale: SVGScale, canvas: DrawingPrice.Canvas) -> Double {
        switch self {
        case .plain(let rate): return pixels * rate
        case .morphology(let x, let y):
            let width = min(2 * x * scale.largest + 1, Double(canvas.size.width))
            let height = min(2 * y * scale.largest + 1, Double(canvas.size.height))
            return pixels * (40 + 7 * width * height)
        case .scaled(let rate, _, _): return pixels * rate * growth(scale)
        }
    }

    /// By which factor a surface of this primitive has more pixels than the canvas.
    func growth(_ scale: SVGScale) -> Double {
        guard case .scaled(_, let x, let y) = self else { return 1 }
        return max(1 / (x * scale.smallest), 1) * max(1 / (y * scale.smallest), 1)
    }
}

/// The parts of one element's price. They are evaluated when the size of the canvas is known.
struct ElementPrice {
    /// A use of a filter on an element with this size; nil if the size is unknown.
    struct FilterUse {
        let id: Data
        let size: SVGSize?
    }

    /// The coordinate system of an element's content: `count` units have the size `size`. If the size is nil, it is the
    /// size of the document.
    struct Units {
        var size: SVGSize?
        let count: SVGSize

        func scale(_ canvas: DrawingPrice.Canvas) -> SVGScale {
            let size = size ?? canvas.document
            let (x, y) = (size.width / count.width, size.height / count.height)
            // The content of a bounding box can also be smaller than one pixel.
            return SVGScale(largest: max(x, y), smallest: min(x, y, 1))
        }
    }

    /// Time in nanoseconds that does not depend on the canvas.
    var fixed = DrawingPrice.Rate.element
    /// Time in nanoseconds for each pixel of the canvas.
    var perPixel = 0.0
    var shapes: [ShapeExtent] = []
    /// The number of filter functions of CSS, such as `blur(5px)`.
    var functionCount = 0
    var filters: [FilterUse] = []
    /// The primitive, if the element is one.
    var primitive: FilterPrimitive?
    /// The number of surfaces that the element keeps while its content is drawn.
    var layers = 0.0
    /// The scale of the element's own transform.
    var scale = SVGScale()
    /// The coordinate system of the content, if it is not that of the parent.
    var units: Units?
    /// By which factor the element enlarges the font of its parent.
    var fontScale = 1.0
    /// The region of a filter: a multiple of the filtered element's size, or a size in user units.
    var region: FilterRegion?
    /// Whether the element is drawn only by reference.
    var isDefinition = false
}

/// The region of a filter.
enum FilterRegion {
    /// Factors of the width and the height of the filtered element.
    case multiple(SVGSize)
    /// A size in user units.
    case size(SVGSize)
    /// The whole canvas, for a size that cannot be computed. A price must not be too low.
    case canvas

    /// Reads the attributes of a `filter` element.
    ///
    /// - Parameter value: Returns the value of an attribute; nil if the element does not have it.
    init(_ value: (String) -> String?) {
        if value("filterUnits")?.contains("userSpaceOnUse") == true {
            guard let width = value("width").flatMap(SVGLength.absolute),
                let height = value("height").flatMap(SVGLength.absolute)
            else {
                self = .canvas
                return
            }
            self = .size(SVGSize(width: abs(width), height: abs(height)))
            return
        }
        func side(_ key: String) -> Double {
            // Without the attribute, the region has 120 % of the element's side (SVG 1.1 §15.5).
            guard let text = value(key) else { return 1.2 }
            return abs(SVGLength.factor(text) ?? SVGLength.absolute(text) ?? .infinity)
        }
        self = .multiple(SVGSize(width: side("width"), height: side("height")))
    }

    /// Returns the size of the region for an element, in user units; nil for the whole canvas.
    ///
    /// - Parameter element: The size of the filtered element; nil if it is unknown.
    func size(of element: SVGSize?) -> SVGSize? {
        switch self {
        case .canvas: nil
        case .size(let size): size
        case .multiple(let factor):
            element.map { SVGSize(width: $0.width * factor.width, height: $0.height * factor.height) }
        }
    }
}
