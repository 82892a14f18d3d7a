package import Foundation
package import WebImageCore
package import WebImageLoading

/// The parts of a response that are stored together with its body (RFC 9111 §3). These parts decide whether the body is
/// fresh and how it is revalidated.
package struct StoredResponse: Sendable, Hashable {
    /// The header fields that freshness and revalidation need. Names are in lower case.
    package private(set) var fields: [String: String] = [:]
    /// `requestTime` is the time when the request was sent. `responseTime` is the time when the response was received.
    /// Both are in seconds since 1970.
    package var requestTime: TimeInterval
    package var responseTime: TimeInterval
    /// Maps the name of each request field that `Vary` lists to the digest of its value. For an absent field, the
    /// digest is the empty text.
    private(set) var varying: [String: String] = [:]
    /// The digest of the URL that sent the response; nil if unknown. A validator may be sent only to this URL.
    package fileprivate(set) var source: String?
    /// The redirects that led to the response, in order. Each redirect has its own lifetime.
    package private(set) var redirects: [StoredRedirect] = []
    /// The servers from which the response came: those of its redirects, then its own. Empty if unknown. After a 304, also
    /// those that have confirmed it.
    package private(set) var hops: [ResponseHop] = []

    static let keptFields = [
        "etag", "last-modified", "date", "age", "expires", "cache-control", "pragma", "vary",
        // The tags by which a service purges.
        "cache-tag", "surrogate-key",
    ]

    /// The fields of a response that are kept. A long `Cache-Control` is reduced to the directives that a cache understands:
    /// it would be cut when it is stored, and could lose one of them.
    private static func keptValues(of response: WebImageResponse) -> [String: String] {
        var values = response.values(of: keptFields)
        if let control = values["cache-control"], control.utf8.count > mostBytes {
            values["cache-control"] = CacheControl.standard(control)
        }
        return values
    }

    /// - Parameter url: The URL that sent the response; nil for the URL of the request.
    package init(
        _ response: WebImageResponse, to request: WebImageRequest, from url: URL? = nil, requestTime: TimeInterval,
        responseTime: TimeInterval
    ) {
        self.requestTime = requestTime
        self.responseTime = responseTime
        fields = Self.keptValues(of: response)
        varying = Self.varying(fields["vary"], of: request)
        source = (url ?? request.url).sourceDigest
        if let address = response.remoteAddress {
            hops = [ResponseHop(response.url ?? url ?? request.url, address: address)]
        }
    }

    /// Returns the response with the redirects that led to it. With too many redirects, the source is unknown, and the
    /// response is never reused.
    func following(_ redirects: [StoredRedirect]) -> StoredResponse {
        var copy = self
        copy.redirects = redirects
        // A hop without an address is unknown, and with it the whole way.
        let earlier = redirects.map(\.response.hops)
        if earlier.contains([]) { copy.hops = [] }
        copy.hops = earlier.reversed().reduce(copy.hops) { Self.joined($1, $0) }
        if redirects.count > Self.maxRedirects { (copy.redirects, copy.source) = ([], nil) }
        return copy
    }

    private static let maxRedirects = 20

    /// The most hops that are stored. A response with more of them has an unknown way.
    private static let maxHops = 64

    private static func joined(_ first: [ResponseHop], _ second: [ResponseHop]) -> [ResponseHop] {
        if first.isEmpty || second.isEmpty { return [] }
        var all = first
        for hop in second where !all.contains(hop) { all.append(hop) }
        return all.count <= maxHops ? all : []
    }

    /// Returns the stored response updated by a 304. Fields of the 304 replace stored fields (RFC 9111 §3.2).
    package func merged(
        with response: WebImageResponse, to request: WebImageRequest, requestTime: TimeInterval,
        responseTime: TimeInterval
    ) -> StoredResponse {
        var copy = self
        copy.requestTime = requestTime
        copy.responseTime = responseTime
        // The age is counted from the 304. If the 304 has no `Age` field, the initial age is 0.
        copy.fields["age"] = nil
        if let address = response.remoteAddress {
            copy.hops = Self.joined(hops, [ResponseHop(response.url ?? request.url, address: address)])
        }
        copy.fields.merge(Self.keptValues(of: response)) { $1 }
        copy.varying = Self.varying(copy.fields["vary"], of: request)
        return copy
    }

    /// Returns the value of a header field, whose name is in lower case; nil if there is none or it is not kept.
    package func field(_ name: String) -> String? { fields[name] }

    /// Returns the response of a page for a picture that the page names: with the servers of both. Without its validators, it
    /// cannot be confirmed, only fetched again.
    package func leading(to picture: StoredResponse?, keepsValidators: Bool) -> StoredResponse {
        var copy = self
        copy.hops = picture.map { Self.joined(hops, $0.hops) } ?? []
        if !keepsValidators { for name in ["etag", "last-modified"] { copy.fields[name] = nil } }
        return copy
    }

    /// The response for readers of a tier, who request the same URL. It names no origin that they know, and addresses only
    /// if they are not public: those of redirects to other hosts, and of servers in the operator's own network.
    package func reduced(for url: URL) -> StoredResponse {
        var copy = self
        copy.hops = hops.map { $0.reduced(for: url) }
        // Several public addresses of a host are now equal.
        copy.hops = Self.joined(Array(copy.hops.prefix(1)), copy.hops)
        return copy
    }

    /// The response that was ``reduced(for:)`` the URL.
    package func completed(for url: URL) -> StoredResponse {
        var copy = self
        copy.hops = hops.map { $0.completed(for: url) }
        return copy
    }

    /// Returns the response with the source and the redirects of `other`.
    func reached(as other: StoredResponse) -> StoredResponse {
        var copy = self
        (copy.source, copy.redirects) = (other.source, other.redirects)
        if !other.hops.isEmpty { copy.hops = Self.joined(hops, other.hops) }
        return copy
    }

    /// Whether the stored response may be used for a request. The request fields that `Vary` lists must have the same
    /// values as in the original request (RFC 9111 §4.1).
    package func matches(_ request: WebImageRequest) -> Bool {
        if Self.names(fields["vary"]).contains("*") { return false }
        return Self.varying(fields["vary"], of: request) == varying
    }

    private static func names(_ vary: String?) -> [String] {
        (vary ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    private static func varying(_ vary: String?, of request: WebImageRequest) -> [String: String] {
        var digests: [String: String] = [:]
        for name in names(vary) where name != "*" {
            // Store a digest and not the value, because the value may be secret and is written to disk.
            digests[name] = request.value(forHTTPHeaderField: name).map { SHA256.shortName(of: $0) } ?? ""
        }
        return digests
    }
}

/// The format on disk. It consists of lines of text; the first line is the signature of the format.
extension StoredResponse {
    private static let signature = EncodedResource.responseSignature
    private static let maxBytes = 48 * 1024
    /// The fields whose values may be longer than others, and their longest values, in bytes. A longer value is cut one byte
    /// later, so that a reader sees that it is too long.
    private static let longFields: Set<String> = ["cache-tag", "surrogate-key"]
    package static let maxTagBytes = 16 * 1024
    /// The longest value of any other field, in bytes.
    private static let mostBytes = 2000

    package var serialized: Data {
        var text = Self.signature
        text.reserveCapacity(Self.commonBytes)
        text += "\n\(requestTime) \(responseTime)"
        addFields(to: &text, prefix: "\n")
        if let source {
            text += "\n@source: "
            text += source
        }
        for hop in hops { text += "\n@hop: \(hop.origin) \(hop.address)" }
        // The lines of a redirect have a prefix, so that readers of the older format ignore them.
        for redirect in redirects { redirect.add(to: &text, prefix: "\n>") }
        return Data(text.utf8)
    }

    /// Metadata with this number of bytes needs one block of memory.
    private static let commonBytes = 360
    private static let sortedFields = keptFields.sorted()

    /// Adds a line for each field.
    fileprivate func addFields(to text: inout String, prefix: String) {
        for name in Self.sortedFields {
            guard let value = fields[name] else { continue }
            text += prefix
            text += name
            text += ": "
            text += Self.line(value, most: Self.longFields.contains(name) ? Self.maxTagBytes + 1 : Self.mostBytes)
        }
        guard !varying.isEmpty else { return }
        for (name, digest) in varying.sorted(by: { $0.key < $1.key }) { text += "\(prefix)?\(name): \(digest)" }
    }

    /// Parses the output of ``serialized``; nil for data with another signature, invalid times or more than 48 KiB.
    package init?(serialized data: Data) {
        guard data.count <= Self.maxBytes else { return nil }
        var lines = String(decoding: data, as: UTF8.self).split(separator: "\n")[...]
        guard lines.popFirst() == Self.signature[...] else { return nil }
        let times = lines.popFirst()?.split(separator: " ").compactMap { TimeInterval($0) } ?? []
        guard times.count == 2, times.allSatisfy(\.isFinite) else { return nil }
        requestTime = times[0]
        responseTime = times[1]
        for line in lines {
            guard let colon = line.range(of: ": ") else { continue }
            let name = line[..<colon.lowerBound]
            let value = String(line[colon.upperBound...])
            if name.hasPrefix(">") {
                guard StoredRedirect.add(name.dropFirst(), value, to: &redirects) else { return nil }
            } else if name == "@source" {
                source = value
            } else if name == "@hop" {
                guard let hop = ResponseHop(value), hops.count < Self.maxHops else { return nil }
                hops.append(hop)
            } else {
                add(name, value)
            }
        }
    }

    fileprivate mutating func add(_ name: Substring, _ value: String) {
        if name.hasPrefix("?") {
            varying[String(name.dropFirst())] = value
        } else if Self.keptFields.contains(String(name)) {
            fields[String(name)] = value
        }
    }

    private static func line(_ value: String, most: Int) -> String {
        // A fast path for printable ASCII. Examining characters takes 30 times as long as examining bytes.
        if value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return value.utf8.count <= most ? value : String(value.utf8.prefix(most)) ?? ""
        }
        return String(value.prefix(most).map { $0.isNewline ? " " : $0 })
    }
}

/// A server from which a response came, for readers with other rules about servers.
package struct ResponseHop: Sendable, Hashable {
    /// Scheme and host. The rest of the URL is not stored, because it may contain a secret.
    package let origin: String
    /// The numeric address, or ``publicAddress``.
    package let address: String

    /// Stands for any public address. Every policy allows all of them, so that a reader need not know which one it was.
    package static let publicAddress = "public"
    /// Stands for the origin of the URL that was requested.
    private static let requestedOrigin = "="

    init(_ url: URL, address: String) {
        self.init(origin: Self.origin(of: url), address: address)
    }

    private init(origin: String, address: String) { (self.origin, self.address) = (origin, address) }

    private static func origin(of url: URL) -> String {
        let host = url.host(percentEncoded: true) ?? ""
        // `host` has no brackets. Without them, an IPv6 address is not the host of a URL.
        return "\(url.scheme?.lowercased() ?? "http")://\(host.contains(":") ? "[\(host)]" : host)"
    }

    /// The hop without what a reader that requests the same URL knows or does not need.
    fileprivate func reduced(for url: URL) -> ResponseHop {
        let isPublic = IPAddress(address).map { $0.specialUse == nil } ?? false
        return ResponseHop(
            origin: origin == Self.origin(of: url) ? Self.requestedOrigin : origin,
            address: isPublic ? Self.publicAddress : address)
    }

    /// The hop with the origin that ``reduced(for:)`` has left out.
    fileprivate func completed(for url: URL) -> ResponseHop {
        origin == Self.requestedOrigin ? ResponseHop(url, address: address) : self
    }

    fileprivate init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        (origin, address) = (String(parts[0]), String(parts[1]))
    }
}

/// A redirect that led to a stored response (RFC 9111 §3): its status, and the fields that decide how long it may be
/// reused. The target is not stored, because its URL may contain a secret.
package struct StoredRedirect: Sendable, Hashable {
    let status: Int
    private(set) var response: StoredResponse

    init(_ redirect: Redirect, to request: WebImageRequest, requestTime: TimeInterval, responseTime: TimeInterval) {
        status = redirect.status
        response = StoredResponse(
            redirect.response, to: request, requestTime: requestTime, responseTime: responseTime)
        response.source = nil
    }

    private init(status: Int, requestTime: TimeInterval, responseTime: TimeInterval) {
        self.status = status
        response = StoredResponse(
            WebImageResponse(url: nil), to: WebImageRequest(url: URL(fileURLWithPath: "/")), requestTime: requestTime,
            responseTime: responseTime)
        response.source = nil
    }

    fileprivate func add(to text: inout String, prefix: String) {
        text += "\(prefix)@redirect: \(status) \(response.requestTime) \(response.responseTime)"
        response.addFields(to: &text, prefix: prefix)
    }

    /// Parses one line. Returns false if the line is malformed.
    fileprivate static func add(_ name: Substring, _ value: String, to redirects: inout [StoredRedirect]) -> Bool {
        guard name == "@redirect" else {
            guard !redirects.isEmpty else { return false }
            redirects[redirects.count - 1].response.add(name, value)
            return true
        }
        let parts = value.split(separator: " ")
        guard parts.count == 3, let status = Int(parts[0]), let sent = TimeInterval(parts[1]), sent.isFinite,
            let received = TimeInterval(parts[2]), received.isFinite
        else { return false }
        redirects.append(StoredRedirect(status: status, requestTime: sent, responseTime: received))
        return true
    }
}

extension URL {
    /// A digest of the URL without its fragment. Stored metadata contains the digest instead of the URL, because the
    /// target of a redirect often contains a secret.
    var sourceDigest: String {
        let text = absoluteString
        guard let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return SHA256.shortName(of: text) }
        return SHA256.shortName(of: String(text[..<fragment]))
    }
}
