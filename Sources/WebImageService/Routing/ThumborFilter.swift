import Foundation

/// One filter of thumbor's grammar: `name(argument,argument)`.
struct ThumborFilter {
    let name: Substring
    let arguments: [Substring]

    /// Splits a list of filters such as `name(a,b):name()`, without percent-encoding. Only a colon after a closing
    /// parenthesis separates filters, because arguments may contain colons.
    static func split(_ text: Substring) throws(ServiceRefusal) -> [ThumborFilter] {
        var filters: [ThumborFilter] = []
        var rest = text
        while !rest.isEmpty {
            guard let open = rest.firstIndex(of: "(") else { throw .option(rest, "a filter must be name(arguments)") }
            let name = rest[..<open].trimmed
            guard let end = rest.range(of: "):")?.lowerBound ?? (rest.hasSuffix(")") ? rest.indices.last : nil),
                end > open
            else { throw .option(name, "the closing parenthesis is missing") }
            let inner = rest[rest.index(after: open)..<end]
            filters.append(
                ThumborFilter(
                    name: name,
                    arguments: inner.isEmpty
                        ? [] : inner.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)))
            rest = rest[rest.index(after: end)...]
            if rest.hasPrefix(":") { rest.removeFirst() }
        }
        return filters
    }

    /// The names of the filters that ``apply(to:isFit:)`` knows.
    static let names: Set<String> = [
        "quality", "format", "max_bytes", "fill", "background_color", "no_upscale", "upscale", "stretch", "focal",
        "blur", "sharpen", "grayscale", "brightness", "contrast", "saturation", "rgb", "rotate", "round_corner",
        "strip_exif", "strip_icc",
    ]

    /// The steps of the result that the filter needs, in their order.
    var steps: [ProcessingOptions.PixelStep] {
        switch name {
        case "blur": [.blur]
        case "sharpen": [.sharpen]
        case "grayscale": [.gray]
        case "brightness": [.brightness]
        case "contrast": [.contrast]
        case "saturation": [.saturation]
        case "rgb": [.channels]
        case "fill": fillsTransparency ? [.canvas, .background] : [.canvas]
        case "rotate": [.rotation]
        case "background_color": [.background]
        case "round_corner": [.corners]
        default: []
        }
    }

    /// Whether the filter `fill` also draws its colour under the picture.
    private var fillsTransparency: Bool {
        arguments.count > 1 && OptionArguments(name: name, arguments: []).boolean(arguments[1])
    }

    func apply(to options: inout ProcessingOptions, isFit: Bool) throws(ServiceRefusal) {
        var reader = OptionArguments(name: name, arguments: arguments)
        switch name {
        case "quality":
            options.quality = try reader.integer(try reader.required("the quality"), in: 0...100, "the quality")
        case "format": options.format = try reader.format(try reader.required("the format"))
        case "max_bytes":
            options.maxBytes = try reader.integer(
                try reader.required("the number of bytes"), in: 0...(1 << 40), "the number of bytes")
        case "fill": try readFill(&reader, &options)
        case "background_color":
            let text = try reader.required("the colour")
            if text != "transparent" { options.background = .color(try color(text, reader)) }
        case "no_upscale": options.enlarge = false
        case "upscale": options.enlarge = true
        case "stretch":
            // In thumbor, `fit-in` has precedence over `stretch`.
            if !isFit { options.resizing = .force }
        case "focal": try readFocus(&reader, &options)
        case "blur":
            // A larger radius counts as 150, and a sigma of 0 is the radius, as in thumbor.
            let radius = try reader.number(try reader.required("the radius"), in: 0...1e6, "the radius")
            options.blur = min(radius, 150)
            if let text = reader.nextUnlessEmpty() {
                let sigma = try reader.number(text, in: 0...1e6, "sigma")
                if sigma > 0 { options.blur = min(sigma, 150) }
            }
        case "sharpen":
            options.sharpen = try reader.number(try reader.required("the amount"), in: 0...100, "the amount")
            _ = (reader.next(), reader.next())
        case "grayscale": options.isGray = true
        case "brightness": options.brightness = try percent(&reader)
        case "contrast": options.contrast = try percent(&reader)
        case "saturation":
            options.saturation = try reader.number(try reader.required("the factor"), in: -100...100, "the factor")
        case "rgb":
            options.channels = .init(
                red: try percent(&reader), green: try percent(&reader), blue: try percent(&reader))
        case "rotate":
            let degrees = try reader.number(try reader.required("the angle"), in: -36_000...36_000, "the angle")
            // thumbor ignores an angle that is not a multiple of 90 degrees.
            guard degrees.truncatingRemainder(dividingBy: 90) == 0 else { break }
            options.angle = (options.angle + degrees + 36_000).truncatingRemainder(dividingBy: 360)
        case "round_corner": try readRoundCorner(&reader, &options)
        case "strip_exif":
            options.stripMetadata = true
            options.keepCopyright = false
        case "strip_icc": options.stripColorProfile = true
        default: throw .option(name, "not supported here")
        }
        try reader.finish()
    }

    private func readFill(
        _ reader: inout OptionArguments, _ options: inout ProcessingOptions
    ) throws(ServiceRefusal) {
        let text = try reader.required("the colour")
        _ = reader.next()
        options.extend.isEnabled = true
        switch text {
        case "transparent": options.extendBackground = nil
        case "auto": options.extendBackground = .mean
        case "blur": throw reader.refusal("filling with the blurred picture is not supported here")
        default: options.extendBackground = .color(try color(text, reader))
        }
        if fillsTransparency, let background = options.extendBackground { options.background = background }
    }

    private func percent(_ reader: inout OptionArguments) throws(ServiceRefusal) -> Int {
        try reader.integer(try reader.required("the percentage"), in: -1000...1000, "the percentage")
    }

    private func readFocus(
        _ reader: inout OptionArguments, _ options: inout ProcessingOptions
    ) throws(ServiceRefusal) {
        let text = try reader.required("the area")
        let numbers = text.split { $0 == "x" || $0 == ":" }.compactMap { Int(digits: $0) }
        guard numbers.count == 4 else { throw reader.refusal("\(Printable(text)) is not LEFTxTOP:RIGHTxBOTTOM") }
        options.focalArea = ProcessingOptions.ManualCrop(
            left: numbers[0], top: numbers[1], right: numbers[2], bottom: numbers[3])
    }

    private func readRoundCorner(
        _ reader: inout OptionArguments, _ options: inout ProcessingOptions
    ) throws(ServiceRefusal) {
        // `a|b` requests elliptical corners with the horizontal radius `a` and the vertical radius `b`.
        let radii = try reader.required("the radius").split(
            separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let radius = try reader.integer(radii[0], in: OptionTable.side, "the radius")
        let vertical =
            radii.count == 2 ? try reader.integer(radii[1], in: OptionTable.side, "the vertical radius") : nil
        var channels: [UInt8] = []
        for name in ["red", "green", "blue"] {
            guard let channel = reader.nextUnlessEmpty() else { break }
            channels.append(UInt8(try reader.integer(channel, in: 0...255, name)))
        }
        let isTransparent = reader.next().map { reader.boolean($0) } ?? false
        let color = channels.count == 3 ? PlainColor(red: channels[0], green: channels[1], blue: channels[2]) : .white
        options.roundCorner = ProcessingOptions.RoundCorner(
            radius: radius, verticalRadius: vertical == radius ? nil : vertical, color: isTransparent ? nil : color)
    }

    private func color(_ text: Substring, _ reader: OptionArguments) throws(ServiceRefusal) -> PlainColor {
        if let color = PlainColor(name: text) { return color }
        return try reader.color(text.hasPrefix("#") ? text.dropFirst() : text)
    }
}

extension Substring {
    /// The text without the spaces at its beginning and its end.
    fileprivate var trimmed: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
