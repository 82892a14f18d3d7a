import CWebImagePixman
public import Foundation
public import WebImageCore

/// Colours along a line, interpolated linearly between stops and constant beyond the ends.
public struct ImageGradient: Sendable, Hashable {
    /// A colour and its position on the line, 0…1.
    public struct Stop: Sendable, Hashable {
        /// The colour.
        public var color: ImageColor
        /// The position; clamped to 0…1.
        public var location: Double { didSet { location = Self.clamped(location) } }

        /// Makes a stop; a position that is not a number becomes 0.
        public init(_ color: ImageColor, at location: Double) {
            self.color = color
            self.location = Self.clamped(location)
        }

        private static func clamped(_ place: Double) -> Double { place.isNaN ? 0 : min(max(place, 0), 1) }
    }

    /// The stops, in the order of their positions.
    public var stops: [Stop] { didSet { stops.sort { $0.location < $1.location } } }
    /// The start of the line as a fraction of the image: (0, 0) is the top left, (1, 1) the bottom right.
    public var start: CGPoint
    /// The end of the line as a fraction of the image.
    public var end: CGPoint

    /// Makes a gradient; by default from the top to the bottom.
    public init(stops: [Stop], start: CGPoint = CGPoint(x: 0.5, y: 0), end: CGPoint = CGPoint(x: 0.5, y: 1)) {
        self.stops = stops.sorted { $0.location < $1.location }
        self.start = start
        self.end = end
    }

    /// Makes a gradient with colours at equal distances.
    public init(
        colors: [ImageColor], start: CGPoint = CGPoint(x: 0.5, y: 0), end: CGPoint = CGPoint(x: 0.5, y: 1)
    ) {
        let last = Double(max(colors.count - 1, 1))
        self.init(
            stops: colors.enumerated().map { Stop($1, at: Double($0) / last) }, start: start, end: end)
    }

    /// The stops and the line, for cache keys.
    var key: String {
        let colors = stops.map { $0.color.hexString + String(plainFormat: "@%f", $0.location) }.joined(separator: ",")
        return colors + String(plainFormat: ",{%f,%f},{%f,%f}", start.x, start.y, end.x, end.y)
    }
}

extension Image {
    /// Returns the image with a gradient over it; transparent parts stay transparent.
    ///
    /// The result has the display layout with 8 bits per channel.
    /// - Returns: nil without stops, for a line that is not finite, and for images with a side above 32,767 px.
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
    /// Makes the pixman image of a gradient for an image of this size.
    convenience init(_ gradient: ImageGradient, over size: PixelSize) throws(WebImageError) {
        let sides = [gradient.start.x, gradient.start.y, gradient.end.x, gradient.end.y]
        let places = zip(sides, [size.width, size.height, size.width, size.height]).map { Double($0) * Double($1) }
        guard !gradient.stops.isEmpty, gradient.stops.count <= 1000,
            places.allSatisfy({ abs($0) <= Double(Self.maxSide) })
        else { throw .badData("pixman", "no gradient of \(gradient.stops.count) stops from \(gradient.start)") }
        func fixed(_ value: Double) -> Int32 { Int32(value * 65536) }
        var start = pixman_point_fixed(x: fixed(places[0]), y: fixed(places[1]))
        var end = pixman_point_fixed(x: fixed(places[2]), y: fixed(places[3]))
        let stops = gradient.stops.map { stop in
            func part(_ value: Double) -> UInt16 { UInt16((value * 65535).rounded()) }
            let color = stop.color
            // pixman's gradient stops have straight colours.
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

/// Draws a gradient over an image; see ``WebImageCore/Image/gradientImage(with:)``.
public struct ImageGradientTransformer: ImageTransformer {
    /// The gradient.
    public let gradient: ImageGradient

    /// Makes the transformer.
    public init(gradient: ImageGradient) { self.gradient = gradient }

    /// The colours, positions and line, in the form of SDWebImage's keys.
    public var transformerKey: String { "SDImageGradientTransformer(\(gradient.key))" }

    /// Returns the image with the gradient over it.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.gradientImage(with: gradient)
    }
}
