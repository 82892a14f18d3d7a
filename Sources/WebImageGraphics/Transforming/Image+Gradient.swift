import CWebImagePixman
public import Foundation
public import WebImageCore

/// Colours along a line, interpolated linearly between stops and constant beyond the ends.
public struct ImageGradient: Sendable, Hashable {
    /// A colour and its place along the line.
    public struct Stop: Sendable, Hashable {
        /// The colour.
        public var color: ImageColor
        /// The place along the line, clamped to 0…1.
        public var location: Double { didSet { location = Self.clamped(location) } }

        /// Makes a stop; a location that is NaN becomes 0.
        public init(_ color: ImageColor, at location: Double) {
            self.color = color
            self.location = Self.clamped(location)
        }

        private static func clamped(_ place: Double) -> Double { place.isNaN ? 0 : min(max(place, 0), 1) }
    }

    /// The stops, sorted by location.
    public var stops: [Stop] { didSet { stops.sort { $0.location < $1.location } } }
    /// The start of the line, in fractions of the picture: (0, 0) is its top left, (1, 1) its bottom right.
    public var start: CGPoint
    /// The end of the line, in fractions of the picture.
    public var end: CGPoint

    /// Makes a gradient, by default from the top to the bottom.
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

    /// Stops and line, for transformer keys.
    var key: String {
        let colors = stops.map { $0.color.hexString + String(plainFormat: "@%f", $0.location) }.joined(separator: ",")
        return colors + String(plainFormat: ",{%f,%f},{%f,%f}", start.x, start.y, end.x, end.y)
    }
}

extension Image {
    /// Returns the picture with a gradient over it; transparent pixels stay transparent.
    ///
    /// The result has the display format, 8 bits per channel.
    /// - Returns: nil without stops or with more than 1,000, for a line that is not finite, and when a side exceeds
    ///   32,767 px.
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
    /// Makes a gradient whose line is scaled to a picture of this size.
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
            // pixman takes straight colours here.
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
    /// The gradient.
    public let gradient: ImageGradient

    /// Creates the transformer.
    public init(gradient: ImageGradient) { self.gradient = gradient }

    /// Colours, locations and line, in the form of SDWebImage's keys.
    public var transformerKey: String { "SDImageGradientTransformer(\(gradient.key))" }

    /// The image under the gradient.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.gradientImage(with: gradient)
    }
}
