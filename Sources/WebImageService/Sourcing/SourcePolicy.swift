import Foundation
import WebImageCore
import WebImageHTTP
import WebImageS3

/// Decides which sources may be used, and maps the name of a source to its location.
struct SourcePolicy: Sendable {
    /// The URL prefixes of allowed sources. Empty allows every source that the download policy allows.
    var allowed: [SourcePattern] = []
    /// The prefix that is added to a source that does not begin with this prefix.
    var baseURL = ""
    var replacements: [SourceReplacement] = []
    /// The folder of `local:///` sources; nil refuses such sources.
    var root: String?
    /// The buckets of `s3://` sources by their name. Sources in other buckets are refused.
    var buckets: [String: Bucket] = [:]
    var storage = StorageRules()

    struct Bucket: Sendable, Hashable {
        /// The prefix of the names of allowed objects, without a slash at its end; empty for all.
        let prefix: String
        /// The store of the bucket.
        let endpoint: String
    }

    /// The location of a source.
    enum Location: Sendable, Hashable {
        case web(URL)
        /// The `s3:` URL of an object in a configured bucket.
        case object(URL)
        /// The configured fallback picture.
        case fallback(Data)
        /// The path of a file below the root, without a leading slash.
        case local(path: String)
    }

    struct Reference: Sendable, Hashable {
        /// The name under which the source is cached, purged and logged.
        let key: String
        let location: Location
        /// The host of the source, for limits per host; `local` for a local file.
        let host: String
        /// The store of an object. Buckets of different stores can have the same name; nil for other sources.
        var store: String?
        /// Where the bytes of the source are stored.
        var storage = StorageRules.Storage()
        /// Identifies the current content of a local file. It changes if the file is replaced or written. Nil for other
        /// sources, and if there is no such file.
        var fileVersion: String?

        /// The name under which the bytes of the source are stored.
        var cacheName: String { store.map { "\($0) \(key)" } ?? key }
    }

    /// Applies replacements and the base URL to the source that a target names, and checks that the source is allowed.
    func reference(of source: String) throws(ServiceRefusal) -> Reference {
        var text = source
        for replacement in replacements { text = replacement.applied(to: text) }
        if !baseURL.isEmpty, !text.hasPrefix(baseURL) { text = baseURL + text }
        var reference = try located(text)
        reference.storage = storage.ofSource(reference.key)
        return reference
    }

    /// The beginnings of all sources whose text, as clients write it, begins with a prefix; perhaps also those of others. Nil
    /// if such sources have no common host.
    func prefixes(of prefix: String) -> [String]? {
        var texts = [prefix]
        for replacement in replacements {
            var next: [String] = []
            for text in texts {
                guard let replaced = replacement.prefixes(of: text) else { return nil }
                next += replaced.filter { !next.contains($0) }
            }
            texts = next
        }
        guard !baseURL.isEmpty else { return texts }
        return texts.flatMap { text in
            if text.hasPrefix(baseURL) { return [text] }
            // A source that begins with the base URL keeps its text.
            return baseURL.hasPrefix(text) ? [baseURL, baseURL + text] : [baseURL + text]
        }
    }

    private func located(_ text: String) throws(ServiceRefusal) -> Reference {
        if text.hasPrefix("local://") { return try local(text) }
        if text.prefix(5).lowercased() == "s3://" { return try object(text) }
        return try web(text)
    }

    private func object(_ text: String) throws(ServiceRefusal) -> Reference {
        guard let name = S3ObjectName(text), let url = URL(string: name.text) else {
            throw .target(
                "an s3 source must be s3://bucket/name[?versionId=…], with ? and # in the name as %3F and %23, and without"
                    + " '.' or '..'")
        }
        guard let bucket = buckets[name.bucket], name.isBelow(bucket.prefix), !Self.climbs(name.key) else {
            throw ServiceRefusal(403, .source, "the source is in no configured bucket")
        }
        try check(name.text)
        return Reference(
            key: name.text, location: .object(url), host: "s3:\(name.bucket)", store: bucket.endpoint)
    }

    private func local(_ text: String) throws(ServiceRefusal) -> Reference {
        guard root != nil else { throw ServiceRefusal(403, .source, "local sources are not configured") }
        // The text after a question mark is not part of the path.
        let path = text.dropFirst("local://".count).prefix { $0 != "?" }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard path.hasPrefix("/"), !parts.isEmpty else { throw .target("a local source must be local:///path") }
        guard !Self.climbs(path) else {
            throw ServiceRefusal(403, .source, "the path of a local source must not contain '.' or '..'")
        }
        let plain = parts.joined(separator: "/")
        let key = "local:///" + plain
        try check(key)
        return Reference(key: key, location: .local(path: plain), host: "local")
    }

    /// Whether a path contains `.` or `..`, also in the spellings that some servers treat alike: `..;x` and `..\\`.
    private static func climbs(_ path: some StringProtocol) -> Bool {
        path.split { $0 == "/" || $0 == "\\" }.contains { part in
            let name = part.prefix { $0 != ";" }
            return name == "." || name == ".."
        }
    }

    private func web(_ text: String) throws(ServiceRefusal) -> Reference {
        guard text.utf8.count <= 8192, let url = URL(webAddress: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let canonical = url.withCanonicalHost, let host = canonical.host()
        else { throw .target("the source is not an http, https or local URL") }
        guard url.user() == nil, url.password() == nil else {
            throw ServiceRefusal(403, .source, "a source must not contain a user name or password")
        }
        // The URL has no `.` and `..` any more, so look for them in the text, as its server would decode it.
        let path = text.prefix { $0 != "?" && $0 != "#" }.filter { !"\t\n\r".contains($0) }
        guard !Self.climbs(path.removingAddressEscapes) else {
            throw ServiceRefusal(403, .source, "the path of a source must not contain '.' or '..'")
        }
        var components = URLComponents(url: canonical, resolvingAgainstBaseURL: false)
        components?.scheme = scheme
        components?.fragment = nil
        guard let plain = components?.url else { throw .target("the source is not an http, https or local URL") }
        try check(plain.absoluteString)
        return Reference(key: plain.absoluteString, location: .web(plain), host: host)
    }

    private func check(_ key: String) throws(ServiceRefusal) {
        guard allowed.isEmpty || allowed.contains(where: { $0.matches(key) }) else {
            throw ServiceRefusal(403, .source, "the source is not allowed")
        }
    }

    /// The hosts to which redirects are allowed; nil allows every host. The value is nil if `allowed` is empty or if a
    /// pattern in `allowed` does not determine its host.
    var allowedHosts: Set<String>? {
        guard !allowed.isEmpty else { return nil }
        var hosts: Set<String> = []
        for pattern in allowed where !pattern.text.hasPrefix("local:") && !pattern.text.hasPrefix("s3:") {
            guard let host = pattern.host else { return nil }
            hosts.insert(host)
        }
        return hosts
    }
}

/// A URL prefix in which `*` matches any text without a slash. A scheme alone (`https://`) matches every URL of the
/// scheme.
struct SourcePattern: Sendable, Hashable {
    /// The pattern with scheme and host in the spelling of source URLs: in lower case, addresses in their canonical form.
    let text: String

    init(text: String) {
        if let prefix = S3ObjectName.canonicalPrefix(text) {
            self.text = prefix
            return
        }
        let parts = Parts(text)
        guard let parts, parts.scheme != "local" else {
            self.text = text
            return
        }
        self.text = "\(parts.scheme)://\(parts.host)\(parts.port)\(parts.path)"
    }

    init(checking text: String) throws(SettingProblem) {
        if text != "*" {
            guard let parts = Parts(text), ["http", "https", "local", "s3"].contains(parts.scheme) else {
                throw SettingProblem("'\(text)' does not begin with http://, https://, s3:// or local://")
            }
            if parts.scheme == "s3" {
                guard S3ObjectName.canonicalPrefix(text) != nil else {
                    throw SettingProblem("'\(text)' has no valid bucket")
                }
            } else if parts.scheme != "local" {
                if parts.hasUser {
                    throw SettingProblem("'\(text)' contains a user name; sources with one are refused")
                }
                if parts.isBroken { throw SettingProblem("'\(text)' has no valid host") }
            }
        }
        self.init(text: text)
    }

    /// The parts of a pattern.
    private struct Parts {
        let scheme: String
        /// The host in canonical spelling, with the brackets of an IPv6 address; empty for a scheme alone.
        var host = ""
        /// The port with its colon; empty without a port.
        var port = ""
        let path: Substring
        let hasUser: Bool
        var isBroken = false

        /// Nil if the text has no `://`.
        init?(_ text: String) {
            guard let mark = text.range(of: "://") else { return nil }
            scheme = text[..<mark.lowerBound].lowercased()
            let rest = text[mark.upperBound...]
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            path = rest[authority.endIndex...]
            hasUser = authority.contains("@")
            guard !authority.isEmpty else {
                isBroken = !path.isEmpty
                return
            }
            var name = authority
            if authority.hasPrefix("[") {
                guard let end = authority.firstIndex(of: "]") else {
                    isBroken = true
                    return
                }
                name = authority[...end]
            } else if let colon = authority.lastIndex(of: ":") {
                name = authority[..<colon]
            }
            port = String(authority[name.endIndex...])
            let isPort =
                port.isEmpty
                || port.first == ":" && port.dropFirst().allSatisfy { $0.isASCII && $0.isNumber || $0 == "*" }
                    && (port.contains("*") || UInt16(port.dropFirst()) != nil)
            host = name.lowercased()
            isBroken = !isPort || name.isEmpty || name.contains(":") && !name.hasPrefix("[")
            if name.contains("*") { return }
            guard let canonical = CanonicalHost(String(name)), name.hasPrefix("[") == canonical.text.contains(":")
            else {
                isBroken = true
                return
            }
            host = canonical.text.contains(":") ? "[\(canonical.text)]" : canonical.text
        }
    }

    /// Whether a URL begins with the pattern. If the pattern has a host and no path, the URL's host must end where the
    /// pattern ends: `http://a.example` does not match `http://a.example.com`.
    func matches(_ url: String) -> Bool {
        if afterScheme.isEmpty { return url.hasPrefix(text) }
        let bytes = Array(url.utf8), pattern = Array(text.utf8)
        return Self.ends(pattern[...], bytes[...]).places.contains { isEnd($0, of: bytes) }
    }

    private func isEnd(_ place: Int, of url: [UInt8]) -> Bool {
        hasPath || place == url.count || [UInt8(ascii: "/"), UInt8(ascii: "?")].contains(url[place])
    }

    /// Whether a URL that begins with a text can match the pattern.
    func mayMatch(beginning: String) -> Bool {
        if afterScheme.isEmpty { return beginning.hasPrefix(text) || text.hasPrefix(beginning) }
        let bytes = Array(beginning.utf8)
        let ends = Self.ends(Array(text.utf8)[...], bytes[...])
        return ends.isOpen || ends.places.contains { isEnd($0, of: bytes) }
    }

    private var afterScheme: Substring {
        text.range(of: "://").map { text[$0.upperBound...] } ?? text[...]
    }

    private var hasPath: Bool { afterScheme.contains("/") }

    /// The host in the form that a download policy uses; nil if the pattern does not determine the host.
    var host: String? {
        let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let host = authority.prefix { $0 != ":" }
        if host.hasPrefix("*."), !host.dropFirst(2).contains("*") { return String(host.dropFirst(1)) }
        return host.isEmpty || host.contains("*") ? nil : String(host)
    }

    /// Returns all positions in the text at which a match of the pattern can end, and whether a match can go on behind
    /// the text. The running time is at most proportional to the length of the pattern multiplied by the length of the
    /// text.
    static func ends(
        _ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>
    ) -> (places: [Int], isOpen: Bool) {
        var places: Set<Int> = [text.startIndex]
        var isOpen = false
        for byte in pattern {
            if places.contains(text.endIndex) { isOpen = true }
            var next: Set<Int> = []
            if byte == UInt8(ascii: "*") {
                guard let first = places.min() else { return ([], isOpen) }
                var place = first
                next = places
                var isReached = false
                while place <= text.endIndex {
                    if places.contains(place) { isReached = true }
                    if isReached { next.insert(place) }
                    if place < text.endIndex, text[place] == UInt8(ascii: "/") { isReached = false }
                    place += 1
                }
            } else {
                for place in places where place < text.endIndex && text[place] == byte { next.insert(place + 1) }
            }
            guard !next.isEmpty else { return ([], isOpen) }
            places = next
        }
        return (Array(places), isOpen)
    }
}
