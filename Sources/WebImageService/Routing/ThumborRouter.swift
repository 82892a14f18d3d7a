import Foundation
import WebImageCore

/// Parses targets of thumbor's grammar after a prefix:
/// `/HMAC|unsafe/[meta/][trim/][crop/][fit-in/][size/][align/][smart/][filters:…/]IMAGE`.
///
/// Every part in brackets is optional; the order is fixed. Unlike thumbor, the service answers an unknown filter with
/// status 400 and names the filter in the message.
struct ThumborRouter: Sendable {
    /// The keys for signatures. A signature is accepted if it matches at least one key. Without keys, only `unsafe` is
    /// accepted.
    var signers: [ThumborSigner] = []
    /// Whether thumbor's unsigned `unsafe` targets are accepted although keys are configured.
    var allowsUnsafe = false
    /// The names of the options that targets may use. An empty set allows all options.
    ///
    /// A part of a target needs the name of the corresponding option of imgproxy's grammar: `size`, `crop`, `trim`,
    /// `flip`, `gravity`, and `resizing_type` for `fit-in`. A filter needs its own name. Aliases of the options in
    /// ``OptionTable`` are equivalent to their names.
    var allowedOptions: Set<String> = []
    /// The limits that apply to every target.
    var limits = ProcessingOptions.Limits()

    /// Parses the path after the prefix. The path begins with the slash before the signature and has no query.
    func parse(_ path: Substring) throws(ServiceRefusal) -> ImageTarget {
        var text = path
        while text.first == "/" { text.removeFirst() }
        guard let slash = text.firstIndex(of: "/") else { throw .target("a target must be /SIGNATURE/PARTS/IMAGE") }
        let rest = text[text.index(after: slash)...]
        try check(text[..<slash], path: rest)
        return try parse(parts: rest)
    }

    private func check(_ signature: Substring, path: Substring) throws(ServiceRefusal) {
        if signature == "unsafe" {
            guard signers.isEmpty || allowsUnsafe else {
                throw ServiceRefusal(403, .signature, "unsigned targets are not accepted")
            }
            return
        }
        let (text, path) = (String(signature), String(path))
        guard signers.count(where: { $0.isValid(text, of: path) }) > 0 else {
            throw ServiceRefusal(403, .signature, "the signature is not valid")
        }
    }

    private func parse(parts path: Substring) throws(ServiceRefusal) -> ImageTarget {
        var reader = PartReader(rest: path)
        var options = ProcessingOptions()
        // As in thumbor, the picture fills the requested box and is enlarged if it is too small.
        options.resizing = .fill
        options.enlarge = true
        options.flipsLast = true
        options.cutsExactly = true
        options.extendsExactly = true
        options.drawsSVG = true
        options.limits = limits
        // thumbor's `debug` is accepted and has no effect.
        _ = reader.take { $0 == "debug" }
        let isMeta = reader.take { $0 == "meta" } != nil
        if let trim = reader.take({ $0 == "trim" || $0.hasPrefix("trim:") }) {
            try require("trim", for: "trim")
            try Self.readTrim(trim, &options)
        }
        if let crop = reader.take({ Self.crop($0) != nil }) {
            try require("crop", for: crop)
            options.manualCrop = Self.crop(crop)
        }
        var isFit = false
        if let fit = reader.take({ Self.fits.contains($0) }) {
            try require("resizing_type", for: fit)
            isFit = true
            options.isAdaptive = fit.hasPrefix("adaptive-")
            // As in thumbor, only `fit-in` never enlarges. `full-fit-in` always gives the picture that covers the box.
            let isFull = fit.hasSuffix("full-fit-in")
            options.resizing = isFull ? .cover : .fit
            options.enlarge = isFull
        }
        if let text = reader.take({ Self.size($0) != nil }), let size = Self.size(text) {
            if size.isSized { try require("size", for: text) }
            if size.isFlipped { try require("flip", for: text) }
            size.apply(to: &options)
        }
        try readAlignment(&reader, &options)
        if let filters = reader.takeFilters() {
            // Clients such as Python's requests encode the bar in `round_corner(20|10)`.
            let decoded = String(filters).removingPercentEncoding ?? String(filters)
            var steps: [ProcessingOptions.PixelStep] = []
            for filter in try ThumborFilter.split(decoded[...]) {
                try require(String(filter.name), for: filter.name)
                try filter.apply(to: &options, isFit: isFit)
                steps += filter.steps
            }
            options.order(steps)
        }
        return ImageTarget(kind: isMeta ? .meta : .picture, source: try Self.source(reader.rest), options: options)
    }

    /// Refuses a part whose option is not allowed.
    private func require(_ option: String, for part: Substring) throws(ServiceRefusal) {
        guard allowedOptions.isEmpty || !OptionTable.names(of: option).isDisjoint(with: allowedOptions) else {
            throw .option(part, "not allowed by the configuration")
        }
    }

    private func readAlignment(
        _ reader: inout PartReader, _ options: inout ProcessingOptions
    ) throws(ServiceRefusal) {
        let horizontal = reader.take { ["left", "center", "right"].contains($0) }
        let vertical = reader.take { ["top", "middle", "bottom"].contains($0) }
        let smart = reader.take { $0 == "smart" }
        if let part = horizontal ?? vertical ?? smart { try require("gravity", for: part) }
        options.gravity.anchor = smart == nil ? Self.anchor(horizontal, vertical) : .smart
    }

    private static let fits: Set<Substring> = [
        "fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in",
    ]

    /// Returns the URL of the source. As in thumbor, a source without a scheme is loaded over http.
    private static func source(_ text: Substring) throws(ServiceRefusal) -> String {
        guard !text.isEmpty else { throw .target("the target names no source") }
        let decoded = String(text).removingAddressEscapes
        guard decoded.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .target("the source contains control characters")
        }
        // A scheme consists of letters before `:/`. `host:8080/a.jpg` has no scheme.
        if let colon = decoded.firstIndex(of: ":"), decoded[..<colon].utf8.allSatisfy(\.isASCIILetter),
            decoded[colon...].hasPrefix(":/")
        {
            return decoded
        }
        return "http://" + decoded
    }

    private static func anchor(_ horizontal: Substring?, _ vertical: Substring?) -> Gravity.Anchor {
        switch (horizontal ?? "center", vertical ?? "middle") {
        case ("left", "top"): .northWest
        case ("left", "bottom"): .southWest
        case ("left", _): .west
        case ("right", "top"): .northEast
        case ("right", "bottom"): .southEast
        case ("right", _): .east
        case (_, "top"): .north
        case (_, "bottom"): .south
        default: .center
        }
    }

    private static func readTrim(_ text: Substring, _ options: inout ProcessingOptions) throws(ServiceRefusal) {
        var trim = ProcessingOptions.Trim(threshold: 0)
        for part in text.split(separator: ":").dropFirst() {
            switch part {
            case "top-left": trim.usesBottomRight = false
            case "bottom-right": trim.usesBottomRight = true
            default:
                guard let tolerance = Int(digits: part), tolerance <= 442 else {
                    throw .option(text, "the tolerance is not an integer from 0 to 442")
                }
                // Convert the tolerance. thumbor's tolerance limits the distance between two colours in the colour
                // cube. `threshold` limits the difference in each channel.
                trim.threshold = (Double(tolerance) / 3.0.squareRoot()).rounded()
            }
        }
        options.trim = trim
    }

    /// Returns the rectangle of a part `LEFTxTOP:RIGHTxBOTTOM`; nil if the part is not a rectangle.
    private static func crop(_ text: Substring) -> ProcessingOptions.ManualCrop? {
        let corners = text.split(separator: ":", omittingEmptySubsequences: false)
        guard corners.count == 2 else { return nil }
        let numbers = corners.flatMap { $0.split(separator: "x", omittingEmptySubsequences: false) }
            .map { Int(digits: $0) }
        guard numbers.count == 4, let left = numbers[0], let top = numbers[1], let right = numbers[2],
            let bottom = numbers[3]
        else { return nil }
        return ProcessingOptions.ManualCrop(left: left, top: top, right: right, bottom: bottom)
    }

    /// A size of the form `[-]Wx[-]H`. If a side is missing or 0, it is computed from the other side. If a side is
    /// `orig`, it has the length of the source's side. A minus sign mirrors the picture.
    private struct Size {
        /// In pixels; 0 if it is computed from the height, nil for `orig`.
        var width: Int?
        /// In pixels; 0 if it is computed from the width, nil for `orig`.
        var height: Int?
        var flipsHorizontally: Bool
        var flipsVertically: Bool

        var isFlipped: Bool { flipsHorizontally || flipsVertically }
        var isSized: Bool { width != 0 || height != 0 }

        func apply(to options: inout ProcessingOptions) {
            options.flipHorizontal = flipsHorizontally
            options.flipVertical = flipsVertically
            options.width = width ?? 0
            options.height = height ?? 0
            options.keepsSourceWidth = width == nil
            options.keepsSourceHeight = height == nil
        }
    }

    /// Returns the size of a part of the path; nil if the part is not a size. Such a part can be the alignment or belong to the
    /// source, so it is not an error.
    private static func size(_ text: Substring) -> Size? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        var numbers: [Int?] = []
        for side in sides {
            let digits = side.hasPrefix("-") ? side.dropFirst() : side
            if digits == "orig" {
                numbers.append(nil)
            } else if digits.isEmpty {
                numbers.append(0)
            } else if let number = Int(digits: digits), OptionTable.side.contains(number) {
                numbers.append(number)
            } else {
                return nil
            }
        }
        return Size(
            width: numbers[0], height: numbers[1], flipsHorizontally: sides[0].hasPrefix("-"),
            flipsVertically: sides[1].hasPrefix("-"))
    }
}

/// Reads the parts of a path in order.
private struct PartReader {
    var rest: Substring

    /// Removes and returns the next part without its slash, if the part satisfies the condition; otherwise returns nil.
    mutating func take(_ isWanted: (Substring) -> Bool) -> Substring? {
        guard let slash = rest.firstIndex(of: "/"), isWanted(rest[..<slash]) else { return nil }
        defer { rest = rest[rest.index(after: slash)...] }
        return rest[..<slash]
    }

    /// Removes the filters and returns their text without `filters:`; nil if the next part is not a list of filters.
    /// Arguments may contain slashes, so the filters end at the first slash after a closing parenthesis.
    mutating func takeFilters() -> Substring? {
        guard rest.hasPrefix("filters:") else { return nil }
        let list = rest.dropFirst(8)
        if let end = list.range(of: ")/") {
            defer { rest = list[end.upperBound...] }
            return list[..<list.index(before: end.upperBound)]
        }
        return take { _ in true }?.dropFirst(8)
    }
}

extension Int {
    /// Parses an integer from 0 to 1,000,000 that is written with at most seven ASCII digits; nil for any other text.
    init?(digits text: some StringProtocol) {
        guard (1...7).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(text), value <= 1_000_000
        else { return nil }
        self = value
    }
}
