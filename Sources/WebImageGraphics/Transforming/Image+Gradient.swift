import CWebImagePixman
public import Foundation
public import WebImageCore

/// A gradient of colours along a line. Colours are interpolated linearly between stops, and are constant before the
/// first stop and after the last stop.
public struct ImageGradient: Sendable, Hashable {
    /// A colour and its position on the line.
    public struct Stop: Sendable, Hashable {
        /// The colour.
        public var color: ImageColor
        /// The position on the line: 0 is the start, 1 the end. Other values are clamped to 0…1.
        public var location: Double { didSet { location = Self.clamped(location) } }

        /// Creates a stop. A location of NaN becomes 0.
        public init(_ color: ImageColor, at location: Double) {
            self.color = color
            self.location = Self.clamped(location)
        }

        private static func clamped(_ place: Double) -> Double { place.isNaN ? 0 : min(max(place, 0), 1) }
    }

    /// The stops, sorted by location.
    public var stops: [Stop] { didSet { stops.sort { $0.location < $1.location } } }
    /// The start of the line, in fractions of the picture's size: (0, 0) is the top left, (1, 1) the bottom right.
    public var start: CGPoint
    /// The end of the line, in fractions of the picture's size.
    public var end: CGPoint

    /// Creates a gradient, by default from the top to the bottom of the picture.
    public init(stops: [Stop], start: CGPoint = CGPoint(x: 0.5, y: 0), end: CGPoint = CGPoint(x: 0.5, y: 1)) {
        self.stops = stops.sorted { $0.location < $1.location }
        self.start = start
        self.end = end
    }

    /// Creates a gradient whose colours have equal distances on the line.
    public init(
        colors: [ImageColor], start: CGPoint = CGPoint(x: 0.5, y: 0), end: CGPoint = CGPoint(x: 0.5, y: 1)
    ) {
        let last = Double(max(colors.count - 1, 1))
        self.init(
            stops: colors.enumerated().map { Stop($1, at: Double($0) / last) }, start: start, end: end)
    }

    /// The text that describes the stops and the line in a transformer key.
    var key: String {
        let colors = stops.map { $0.color.hexString + String(plainFormat: "@%f", $0.location) }.joined(separator: ",")
        return colors + String(plainFormat: ",{%f,%f},{%f,%f}", start.x, start.y, end.x, end.y)
    }
}

extension Image {
    /// Returns the picture with a gradient drawn over it. Transparent pixels stay transparent.
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel).
    /// - Returns: nil if the gradient has no stops or more than 1,000 stops, or if a side of the picture exceeds 32,767
    ///   px. Also nil if a coordinate of the line is not finite or is more than 32,767 px from the top left.
    public func gradientImage(with gradient: ImageGradient) -> Image? {
        made {
            () throws(WebImageError) in
            let canvas = try displayPixelsToDrawOn()
            try PixmanImage(gradient, over: pixelSize).composite(PIXMAN_OP_ATOP, onto: canvas)
            return (canvas, hasAlpha)
        }
    }
}

extension PixmanImage {
    /// Creates a pixman gradient whose line is scaled to a picture of `size`.
    convenience init(_ gradient: ImageGradient, over size: PixelSize) throws(WebImageError) {
        let sides = [gradient.start.x, gradient.start.y, gradient.end.x, gradient.end.y]
        let places = zip(sides, [size.width, size.height, size.width, size.height]).map { Double($0) * Double($1) }
        guard !gradient.stops.isEmpty, gradient.stops.count <= 1000,
            places.allSatisfy({ abs($0) <= Double(Self.maxSide) })
        else {
            throw .badData("pixman", "cannot make a gradient of \(gradient.stops.count) stops from \(gradient.start)")
        }
        func fixed(_ value: Double) -> Int32 { Int32(value * 65536) }
        var start = pixman_point_fixed(x: fixed(places[0]), y: fixed(places[1]))
        var end = pixman_point_fixed(x: fixed(places[2]), y: fixed(places[3]))
        let stops = gradient.stops.map { stop in
            func part(_ value: Double) -> UInt16 { UInt16((value * 65535).rounded()) }
            let color = stop.color
            // pixman requires straight colours in gradient stops.
            return pixman_gradient_stop(
                x: fixed(stop.location),
                color: pixman_color(
                    red: part(color.red), green: part(color.green), blue: part(color.blue), alpha: part(color.alpha)))
        }
        guard let image = pixman_image_create_linear_gradient(&start, &end, stops, Int32(stops.count)) else {
            throw .badData("pixman", "out of memory")
        }
        pixman_image_set_repeat(image, PIXMAN_REPEAT_PAD)
        self.init(adopting: image)
    }
}

/// Draws a gradient over the picture; see ``WebImageCore/Image/gradientImage(with:)``.
public struct ImageGradientTransformer: ImageTransformer {
    /// ``ImageTransformerExecution/computing``, because the transformer only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The gradient.
    public let gradient: ImageGradient

    /// Creates the transformer.
    public init(gradient: ImageGradient) { self.gradient = gradient }

    /// The transformer's name with colours, locations and line, in the format of SDWebImage's keys.
    public var transformerKey: String { "SDImageGradientTransformer(\(gradient.key))" }

    /// Returns the image with the gradient drawn over it.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.gradientImage(with: gradient)
    }
}
