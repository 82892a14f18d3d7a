import Foundation
import WebImageCore
import WebImageHTTP
import WebImageS3

/// Parsers and checks of single values. They run when a value is read, so that an error names the line of the value.
enum SettingCheck {
    @Sendable static func addresses(_ text: String) throws(SettingProblem) -> AddressRange {
        guard let range = AddressRange(text) else {
            throw SettingProblem("'\(text)' is not an address or ADDRESS/BITS")
        }
        return range
    }

    @Sendable static func mode(_ text: String) throws(SettingProblem) -> UInt32 {
        guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
            throw SettingProblem("'\(text)' is not an octal number up to 777")
        }
        return mode
    }

    /// A folder that is made if it is missing. A shell replaces `~` only at the beginning of a word, so not in a file of settings,
    /// in a variable of a unit, nor behind `--cache-dir=`: the service would use a folder of this name.
    @Sendable static func folder(_ text: String) -> String? {
        text == "~" || text.hasPrefix("~/")
            ? "'\(text)' begins with ~, which only a shell replaces; write the path in full" : nil
    }

    /// A prefix of paths. Clients resolve `.` and `..`, and escape other characters, before they send a target.
    private static func prefix(_ text: String) -> String? {
        if text.isEmpty { return nil }
        let names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let isPath =
            text.hasPrefix("/")
            && names.allSatisfy { name in
                !["", ".", ".."].contains(name)
                    && name.utf8.allSatisfy { $0.isASCIILetter || isDigit($0) || "-._~!$&'()*+,;=:@".utf8.contains($0) }
            }
        return isPath
            ? nil
            : "\(Printable(text)) is not a prefix; a prefix is /NAME without a slash at its end, of letters, digits and -._~"
    }

    private static let healthChecks: Set<Substring> = ["health", "healthz", "readyz"]

    @Sendable static func pathPrefix(_ text: String) -> String? {
        if let problem = prefix(text) { return problem }
        guard healthChecks.contains(text.dropFirst()) else { return nil }
        return "'\(text)' is the path of a health check; write another name, such as /images"
    }

    /// The first segments of paths that mean something else: pages of the service, and the texts that clients of
    /// imgproxy write instead of a signature.
    private static let reserved = healthChecks.union(["info", "favicon.ico", "robots.txt", "_", "unsafe", "insecure"])

    @Sendable static func thumborPrefix(_ text: String) -> String? {
        if let problem = prefix(text) { return problem }
        guard let first = text.split(separator: "/").first, reserved.contains(first) else { return nil }
        return "paths below '/\(first)' belong to the service or to imgproxy's grammar; write another name, such as "
            + "/thumbor"
    }

    /// Whether a text has only printable ASCII characters without spaces.
    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// A text that is accepted instead of a signature. It is the first segment of a path.
    @Sendable static func signature(_ text: String) -> String? {
        let isSegment = isVisible(text) && !text.contains { "/?#".contains($0) }
        return isSegment ? nil : "a signature is a segment of a path: visible ASCII characters without / ? #"
    }

    /// A token of the field `Authorization`.
    @Sendable static func token(_ text: String) -> String? {
        isVisible(text)
            ? nil : "a token is of visible ASCII characters without spaces; make one by 'openssl rand -hex 32'"
    }

    @Sendable static func preset(_ text: String) -> String? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return "\(Printable(text)) is not NAME=OPTION/OPTION, such as small=w:200/q:70" }
        let isName = isVisible(String(parts[0])) && !parts[0].contains { ":/?#%".contains($0) }
        return isName
            ? nil : "\(Printable(parts[0])) cannot be the name of a preset: a target could not contain it; use letters"
    }

    @Sendable static func option(_ text: String) -> String? {
        let known: (String) -> Bool = { OptionTable.isOption($0[...]) || ThumborFilter.names.contains($0) }
        if known(text) { return nil }
        let plain = text.prefix { $0 != ":" && $0 != "(" }.lowercased()
        let similar = [plain.replacing("-", with: "_"), plain.replacing("_", with: "-")].first(where: known)
        return "\(Printable(text)) is not an option; "
            + (similar.map { "write '\($0)'" } ?? "write names as in targets, such as width or w, without arguments")
    }

    /// A prefix of sources. Without a slash after the host, a target could complete the name of another host.
    @Sendable static func baseURL(_ text: String) -> String? {
        if text.isEmpty { return nil }
        let wanted = "write the beginning of a source, such as https://images.example/ or local:///pictures/"
        guard let mark = text.range(of: "://"),
            ["http", "https", "local", "s3"].contains(text[..<mark.lowerBound].lowercased())
        else { return "\(Printable(text)) does not begin with http://, https://, s3:// or local://; \(wanted)" }
        let rest = text[mark.upperBound...]
        guard rest.isEmpty || text.hasPrefix("local://") || rest.contains(where: { "/?".contains($0) }) else {
            return "\(Printable(text)) needs a slash after its host; write '\(text)/'"
        }
        var policy = SourcePolicy()
        policy.root = "/"
        let isPlain = !text.contains("#") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        // Which buckets exist is not known here.
        let isBeginning =
            rest.isEmpty || S3ObjectName(text + "x") != nil || (try? policy.reference(of: text + "x")) != nil
        return isPlain && isBeginning ? nil : "\(Printable(text)) is not the beginning of a source; \(wanted)"
    }

    @Sendable static func userAgent(_ text: String) -> String? {
        let isField = text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isField
            ? nil : "\(Printable(text)) contains a line break or characters that are not ASCII; write them without"
    }

    /// An extension, or the name of files with many extensions.
    @Sendable static func sourceFormat(_ text: String) throws(SettingProblem) -> ImageFormat {
        let format: ImageFormat =
            switch text.lowercased() {
            case "raw": .raw
            case "video": .video
            default: ImageFormat(fileExtension: text)
            }
        guard format != .undefined else {
            throw SettingProblem("\(Printable(text)) is no format; write \(sourceFormatList)")
        }
        return format.container
    }

    static let sourceFormats = [
        "jpg", "png", "gif", "webp", "avif", "heic", "jxl", "svg", "tiff", "bmp", "ico", "pdf", "jp2", "raw", "lottie",
        "video",
    ]
    static let sourceFormatList = sourceFormats.dropLast().joined(separator: ", ") + " or " + (sourceFormats.last ?? "")

    /// An origin as browsers send it (RFC 6454 §6.2). Browsers compare it with the answer byte for byte.
    @Sendable static func origin(_ text: String) -> String? {
        if text.isEmpty || text == "*" || isOrigin(text) { return nil }
        return "\(Printable(text)) is not an origin; write *, or one origin as browsers send it, such as "
            + "https://shop.example: scheme, host and a port that is not the default one, in lower case and without a path"
    }

    private static func isOrigin(_ text: String) -> Bool {
        guard let mark = text.range(of: "://") else { return false }
        let scheme = text[..<mark.lowerBound]
        let isLower: (UInt8) -> Bool = { (0x61...0x7A).contains($0) || isDigit($0) }
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({ isLower($0) || "+-.".utf8.contains($0) })
        else { return false }
        var host = text[mark.upperBound...]
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            let port = host[host.index(after: colon)...]
            guard port.utf8.allSatisfy(isDigit), !port.hasPrefix("0"), let number = UInt16(port),
                ["http": 80, "https": 443][scheme] != number
            else { return false }
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            return AddressRange(String(host.dropFirst().dropLast())) != nil && host.lowercased() == host
        }
        return !host.isEmpty && host.utf8.allSatisfy { isLower($0) || "-._".utf8.contains($0) }
    }

    @Sendable static func hexadecimal(_ text: String) throws(SettingProblem) -> [UInt8] {
        guard let bytes = URLSigner.bytes(text) else { throw SettingProblem("the value is not hexadecimal") }
        return bytes
    }

    @Sendable static func replacement(_ text: String) throws(SettingProblem) -> SourceReplacement {
        guard let replacement = SourceReplacement(text) else {
            throw SettingProblem("\(Printable(text)) is not PATTERN=TEXT")
        }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let stars = parts[0].count { $0 == "*" }
        for match in parts[1].matches(of: /\$\{([^}]*)\}/)
        where Int(digits: match.1).map({ $0 < 1 || $0 > stars }) ?? true {
            throw SettingProblem("'\(match.0)' stands for no *; the pattern has \(stars), which are ${1} and so on")
        }
        return replacement
    }

    @Sendable static func formatQuality(_ text: String) throws(SettingProblem) -> (format: OutputFormat, quality: Int) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let format = OutputFormat(name: parts[0]),
            let quality = Int(digits: parts[1]), (1...100).contains(quality)
        else {
            throw SettingProblem("\(Printable(text)) is not FORMAT:N, such as webp:75, with N from 1 to 100")
        }
        guard format.isLossy else {
            throw SettingProblem("'\(parts[0])' has no quality; write jpeg, webp, avif, jxl or heic")
        }
        return (format, quality)
    }
}
