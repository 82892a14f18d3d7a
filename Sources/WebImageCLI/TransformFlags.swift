import Foundation
import WebImage
import WebImageCommandLine

/// The options of `webimage convert` that change the picture. They are applied in their order on the command line.
enum TransformFlags {
    private typealias Reader = @Sendable (_ value: String) throws(UsageError) -> any ImageTransformer

    /// Returns the transformers for the options, in the order of the command line.
    static func transformers(_ arguments: Arguments) throws(UsageError) -> [any ImageTransformer] {
        var transformers: [any ImageTransformer] = []
        for (name, value) in arguments.given {
            if let reader = readers[name] { transformers.append(try reader(value)) }
        }
        return transformers
    }

    private static let rows: [(option: CommandOption, read: Reader)] = [
        (
            .value(
                "resize", "WxH[,MODE]",
                """
                to exactly this size; MODE is {fill (stretched, the default), aspectFit (whole, with bars)
                or aspectFill} (covering, cut off)
                """), resize
        ),
        (
            .value("crop", "WxH+X+Y", "this part, from the top left"), crop
        ),
        (
            .value(
                "rotate", "DEGREES[,cut]", "counter-clockwise; the canvas grows, unless 'cut' cuts the corners off"),
            rotate
        ),
        (
            .value("flip", "WAY", "one of {horizontal, vertical or both}"), flip
        ),
        (
            .value(
                "round", "R[,W,COLOR]",
                "round corners of radius R, with a border W wide; each COLOR is #rrggbb or #aarrggbb"),
            round
        ),
        (
            .value("blur", "R", "blur with a deviation of R"), blur
        ),
        (
            .value(
                "tint", "COLOR[,MODE]",
                """
                fill the picture's shape, or mix; MODE is {normal, multiply, screen, overlay, darken,
                lighten, colorDodge, colorBurn, softLight, hardLight, difference, exclusion, hue,
                saturation, color, luminosity, clear, copy, sourceIn, sourceOut, sourceAtop,
                destinationOver, destinationIn, destinationOut, destinationAtop, xor, plusDarker or
                plusLighter}
                """), tint
        ),
        (
            .value(
                "filter", "NAME[=N,...]",
                """
                one of {invert, sepia=AMOUNT, monochrome=COLOR, exposure=STOPS, contrast=N, saturation=N,
                vignette=N, sharpen=N, pixellate=SIDE, matrix=NUMBERS (9 or 12) or convolution=NUMBERS}
                """), filter
        ),
    ]

    static let options = rows.map(\.option)
    private static let readers = Dictionary(uniqueKeysWithValues: rows.map { ($0.option.name, $0.read) })

    private static func resize(_ value: String) throws(UsageError) -> any ImageTransformer {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        let modes: [String: ImageScaleMode] = ["fill": .fill, "aspectfit": .aspectFit, "aspectfill": .aspectFill]
        guard parts.count <= 2, let size = size(parts[0]),
            let mode = modes[parts.dropFirst().first?.lowercased() ?? "fill"]
        else { throw wants("resize", "WIDTHxHEIGHT in pixels, with ,fill ,aspectFit or ,aspectFill after it", value) }
        return ImageResizingTransformer(size: size, scaleMode: mode)
    }

    private static func crop(_ value: String) throws(UsageError) -> any ImageTransformer {
        let parts = value.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 3, let size = size(parts[0]), let x = Int(parts[1]), let y = Int(parts[2]), x >= 0, y >= 0
        else { throw wants("crop", "WIDTHxHEIGHT+X+Y in pixels", value) }
        return ImageCroppingTransformer(
            rect: CGRect(x: CGFloat(x), y: CGFloat(y), width: size.width, height: size.height))
    }

    private static func rotate(_ value: String) throws(UsageError) -> any ImageTransformer {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        guard let degrees = number(parts[0]), abs(degrees) <= 1e6, parts.count == 1 || parts[1...] == ["cut"] else {
            throw wants("rotate", "degrees, with ,cut after them to keep the size", value)
        }
        return ImageRotationTransformer(angle: CGFloat(degrees * .pi / 180), fitSize: parts.count == 1)
    }

    private static func flip(_ value: String) throws(UsageError) -> any ImageTransformer {
        guard ["horizontal", "vertical", "both"].contains(value) else {
            throw wants("flip", "horizontal, vertical or both", value)
        }
        return ImageFlippingTransformer(horizontal: value != "vertical", vertical: value != "horizontal")
    }

    private static func round(_ value: String) throws(UsageError) -> any ImageTransformer {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        guard let radius = number(parts[0]), radius >= 0 else {
            throw wants("round", "a radius in pixels, with ,WIDTH,COLOR after it for a border", value)
        }
        guard parts.count > 1 else {
            return ImageRoundCornerTransformer(
                radius: CGFloat(radius), corners: .allCorners, borderWidth: 0, borderColor: nil)
        }
        guard parts.count == 3, let width = number(parts[1]), width >= 0, let color = color(parts[2]) else {
            throw wants("round", "RADIUS,WIDTH,COLOR, the colour as #rrggbb or #aarrggbb", value)
        }
        return ImageRoundCornerTransformer(
            radius: CGFloat(radius), corners: .allCorners, borderWidth: CGFloat(width), borderColor: color)
    }

    private static func blur(_ value: String) throws(UsageError) -> any ImageTransformer {
        guard let radius = number(value[...]), (0...10_000).contains(radius) else {
            throw wants("blur", "a radius of 0 to 10000 pixels", value)
        }
        return ImageBlurTransformer(radius: CGFloat(radius))
    }

    private static func tint(_ value: String) throws(UsageError) -> any ImageTransformer {
        let parts = value.split(separator: ",", omittingEmptySubsequences: false)
        guard let color = color(parts[0]) else { throw wants("tint", "a colour as #rrggbb or #aarrggbb", value) }
        guard parts.count > 1 else { return ImageTintTransformer(color: color) }
        guard parts.count == 2, let mode = BlendMode.allCases.first(where: { "\($0)" == parts[1] }) else {
            throw UsageError(
                "--tint supports the modes \(BlendMode.allCases.map { "\($0)" }.joined(separator: ", ")), not '\(value)'"
            )
        }
        return ImageTintTransformer(color: color, blendMode: mode)
    }

    // MARK: Values

    static func wants(_ option: String, _ what: String, _ value: String) -> UsageError {
        UsageError("--\(option) requires \(what), not '\(value)'")
    }

    static func number(_ text: Substring) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    private static func size(_ text: Substring) -> CGSize? {
        let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], (1...1_000_000).contains(width),
            (1...1_000_000).contains(height)
        else { return nil }
        return CGSize(width: width, height: height)
    }

    static func color(_ text: Substring) -> ImageColor? {
        guard text.first == "#", text.utf8.count == 7 || text.utf8.count == 9,
            text.dropFirst().allSatisfy(\.isHexDigit), let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        func part(_ shift: UInt32) -> Double { Double(value >> shift & 255) / 255 }
        return ImageColor(
            red: part(16), green: part(8), blue: part(0), alpha: text.utf8.count == 9 ? part(24) : 1)
    }
}
