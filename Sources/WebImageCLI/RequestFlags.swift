import Foundation
import WebImage

/// The fields that `--header`, `--cookie`, `--user` and `--referer` add to every HTTP request.
///
/// A value can come from a file (`@FILE`) or from the environment (`WEBIMAGE_HEADER`, `WEBIMAGE_COOKIE`,
/// `WEBIMAGE_USER`). Use a file or the environment for secrets, because every user of the machine
/// can read command lines.
struct RequestFlags: Sendable {
    private(set) var headers: [String: String] = [:]

    /// Creates a value that adds no fields.
    init() {}

    init(_ arguments: Arguments) throws(UsageError) {
        let environment = ProcessInfo.processInfo.environment
        func values(_ name: String) -> [String] {
            let given = arguments.strings(name)
            return given.isEmpty ? environment["WEBIMAGE_\(name.uppercased())"].map { [$0] } ?? [] : given
        }
        for value in values("header") {
            for line in try Self.text(value, of: "header").split(whereSeparator: \.isNewline) {
                try addHeader(line)
            }
        }
        let cookies = try values("cookie").map { value throws(UsageError) in try Self.line(value, of: "cookie") }
        if !cookies.isEmpty { try set("Cookie", cookies.joined(separator: "; ")) }
        if let user = values("user").last {
            let user = try Self.line(user, of: "user")
            guard user.contains(":") else {
                throw UsageError("--user requires NAME:PASSWORD, @FILE with it, or WEBIMAGE_USER")
            }
            try set("Authorization", "Basic " + Data(user.utf8).base64EncodedString())
        }
        if let referer = arguments.string("referer") { try set("Referer", referer) }
    }

    /// A request that sends the fields. Cache entries of such requests have a scope: only requests with the same fields use
    /// the entries.
    func request(for url: URL, limits: DecodingLimits) -> ImageRequest {
        var request = ImageRequest(url: url)
        request.limits = limits
        guard !headers.isEmpty else { return request }
        let scope = headers.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: "\n")
        request.requestModifier = WebImageDownloaderRequestModifier(headers: headers, cacheScope: .scoped(scope))
        return request
    }

    private mutating func addHeader(_ line: Substring) throws(UsageError) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw UsageError("--header requires 'NAME: VALUE', or @FILE with such lines") }
        try set(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }

    /// Checks the name and the value of a field, then adds the field (RFC 9110 §5.1 and §5.5). Error messages never
    /// contain the value, because the value can be secret.
    private mutating func set(_ name: String, _ value: String) throws(UsageError) {
        let token = CharacterSet(charactersIn: "!#$%&'*+-.^_`|~").union(
            CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
        guard !name.isEmpty, name.unicodeScalars.allSatisfy(token.contains) else {
            throw UsageError("'\(name.prefix(40))' is not a valid header field name")
        }
        guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) else {
            throw UsageError("the value of \(name) has control characters")
        }
        for known in headers.keys where known.lowercased() == name.lowercased() { headers[known] = nil }
        headers[name] = value
    }

    private static func line(_ value: String, of option: String) throws(UsageError) -> String {
        try text(value, of: option).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the value of an option. For a value of the form `@FILE`, returns the content of the file.
    private static func text(_ value: String, of option: String) throws(UsageError) -> String {
        guard value.hasPrefix("@") else { return value }
        return try ListFile.text(String(value.dropFirst()), of: "--\(option)")
    }
}

/// Reads a text file whose path is the value of an option. The path `-` means standard input.
enum ListFile {
    static func text(_ path: String, of option: String) throws(UsageError) -> String {
        guard let text = String(validating: try bytes(path, of: option), as: UTF8.self) else {
            throw UsageError("\(option): \(RawText.shown(path)) is not UTF-8 text")
        }
        return text
    }

    /// Returns the bytes of the file, which can contain names that are not UTF-8.
    static func bytes(_ path: String, of option: String) throws(UsageError) -> Data {
        let bytes: Data?
        if path == "-" {
            bytes = try? StandardInput.read(atMost: maxBytes)
        } else {
            bytes = contents(of: path)
        }
        guard let bytes, bytes.count <= maxBytes else {
            let isFile = option.hasPrefix("@") && PathCalls.exists(option)
            throw UsageError(
                "\(option): \(RawText.shown(path)) cannot be read or has more than \(maxBytes) bytes"
                    + (isFile ? "; for the file of this name write \(RawText.shown("./" + option))" : ""))
        }
        return bytes
    }

    private static func contents(of path: String) -> Data? {
        let descriptor = open(RawText.cString(path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try file.read(upToCount: maxBytes + 1) ?? Data()
        } catch {
            return nil
        }
    }

    private static let maxBytes = 100_000_000
}
