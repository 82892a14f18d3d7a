import Foundation
import WebImageCore

/// Parses targets of imgproxy's grammar: `/SIGNATURE/OPTIONS/plain/SOURCE@EXTENSION` or
/// `/SIGNATURE/OPTIONS/BASE64.EXTENSION`.
///
/// The parser is a pure function without clock and I/O. Unlike imgproxy, the service answers an invalid option with
/// status 400 and names the option in the message.
struct ImgproxyRouter: Sendable {
    var signing = SigningPolicy()
    var presets = PresetTable()
    /// Whether the first segment after the signature must be a list of preset names. A target must then contain no
    /// options.
    var onlyPresets = false
    /// The names of the options that are allowed outside presets. An empty set allows all options.
    var allowedOptions: Set<String> = []
    /// Whether targets may contain limits. Presets always may.
    var allowsLimits = true
    /// Whether the last segment of a base64 source is a file name. Such a file name is ignored.
    var base64HasFilename = false

    /// Parses the path of a target. The path begins with the slash before the signature and has no query.
    func parse(_ path: Substring) throws(ServiceRefusal) -> ImageTarget {
        var text = path
        while text.first == "/" { text.removeFirst() }
        guard let slash = text.firstIndex(of: "/") else {
            throw .target("a target must be /SIGNATURE/OPTIONS/plain/SOURCE or /SIGNATURE/OPTIONS/BASE64")
        }
        let signature = text[..<slash]
        let rest = Self.repaired(text[text.index(after: slash)...])
        try signing.check(signature, path: "/" + rest)
        return try parse(segments: rest.split(separator: "/", omittingEmptySubsequences: false)[...])
    }

    private func parse(segments: ArraySlice<Substring>) throws(ServiceRefusal) -> ImageTarget {
        var segments = segments
        guard let first = segments.first, segments.count > 1 || !first.isEmpty else {
            throw .target("the target names no source")
        }
        if ProcessingOptions.Resizing(rawValue: String(first)) != nil {
            throw .target("targets that begin with a resizing type (grammar version 1) are not supported")
        }
        var (options, count) = (ProcessingOptions(), 0)
        var names: [Substring] = presets.hasDefault ? [Substring(PresetTable.defaultName)] : []
        try presets.apply(names, to: &options, count: &count)
        if onlyPresets {
            let named = first.split(separator: ":", omittingEmptySubsequences: false)
            try presets.apply(named, to: &options, count: &count)
            names += named
            segments.removeFirst()
        } else {
            while let segment = segments.first.flatMap(OptionSegment.init) {
                try read(segment, into: &options, presetOptions: &count)
                if PresetTable.names.contains(segment.name) { names += segment.arguments }
                segments.removeFirst()
            }
        }
        let source = try SourceText(segments, base64HasFilename: base64HasFilename)
        if let name = source.formatName {
            guard let format = OutputFormat(name: name) else {
                // Do not show this text in the message. The text can be the end of a source, so it can contain a
                // password.
                guard name.utf8.count <= 5, name.utf8.allSatisfy({ $0.isASCIILetter }) else {
                    throw .target("the text after the last '@' or '.' is not a format; write an '@' in a source as %40")
                }
                throw .option(name, "not a format")
            }
            if !options.raw { options.format = format }
        }
        return ImageTarget(source: source.text, options: options, presets: names.map(String.init))
    }

    private func read(
        _ segment: OptionSegment, into options: inout ProcessingOptions, presetOptions count: inout Int
    ) throws(ServiceRefusal) {
        guard allowedOptions.isEmpty || allowedOptions.contains(String(segment.name)) else {
            throw .option(segment.name, "not allowed by the configuration")
        }
        guard allowsLimits || !OptionTable.isLimit(segment.name) else {
            throw ServiceRefusal(403, .option, "limits are not allowed in targets", option: String(segment.name))
        }
        if PresetTable.names.contains(segment.name) {
            try presets.apply(segment.arguments, to: &options, option: segment.name, count: &count)
        } else {
            try OptionTable.apply(segment.name, segment.arguments, to: &options)
        }
    }

    /// Undoes two changes that proxies make to targets. Proxies replace a colon in options by `%3A`, and they replace
    /// the two or three slashes after a scheme by one slash.
    static func repaired(_ rest: Substring) -> String {
        let marker = rest.hasPrefix("plain/") ? rest.startIndex..<rest.startIndex : rest.range(of: "/plain/")
        guard let marker else { return rest.replacingOccurrences(of: "%3A", with: ":") }
        let start = marker.isEmpty ? rest.index(rest.startIndex, offsetBy: 6) : marker.upperBound
        let options = rest[..<start].replacingOccurrences(of: "%3A", with: ":")
        return options + repairedSource(rest[start...])
    }

    private static func repairedSource(_ source: Substring) -> String {
        guard let colon = source.firstIndex(of: ":"), colon > source.startIndex,
            source[..<colon].utf8.allSatisfy({ $0.isASCIILetter || (0x30...0x39).contains($0) || $0 == 0x2B })
        else { return String(source) }
        let after = source[source.index(after: colon)...]
        let slashes = after.prefix { $0 == "/" }.count
        let wanted = source[..<colon] == "local" ? 3 : 2
        guard slashes == 1 else { return String(source) }
        return source[...colon] + String(repeating: "/", count: wanted) + after.dropFirst()
    }
}

/// The source in a target of imgproxy's grammar, and the format name that follows the source.
struct SourceText {
    let text: String
    /// The format name after `@` or `.`; nil if it is missing or empty.
    let formatName: Substring?

    init(_ segments: ArraySlice<Substring>, base64HasFilename: Bool) throws(ServiceRefusal) {
        guard let first = segments.first else { throw .target("the target names no source") }
        if first == "plain" {
            (text, formatName) = try Self.plain(segments.dropFirst().joined(separator: "/")[...])
        } else if first == "enc" {
            throw .option("enc", "encrypted sources are not supported")
        } else {
            let segments = base64HasFilename && segments.count > 1 ? segments.dropLast() : segments
            (text, formatName) = try Self.base64(segments.joined()[...])
        }
        guard !text.isEmpty else { throw .target("the target names no source") }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .target("the source contains control characters")
        }
    }

    private static func plain(_ joined: Substring) throws(ServiceRefusal) -> (String, Substring?) {
        let parts = joined.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let source = parts.first else {
            throw .target("the source has more than one '@'; write it as %40")
        }
        return (String(source).removingAddressEscapes, parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
    }

    private static func base64(_ joined: Substring) throws(ServiceRefusal) -> (String, Substring?) {
        let parts = joined.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let source = parts.first else {
            throw .target("the base64 source has more than one '.'")
        }
        guard let bytes = Base64URL.decode(source),
            let text = String(validating: bytes, as: UTF8.self)
                ?? (bytes.starts(with: "http".utf8) ? String(addressBytes: bytes) : nil)
        else { throw .target("the source is neither 'plain/' and a URL nor base64 (URL alphabet) of one") }
        return (text, parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
    }
}
