import Foundation
import WebImageCore

/// The bytes of a source, with their lifetime and version.
struct Source: Sendable {
    let data: Data
    /// What the origin has said.
    let record: SourceRecord
    let lifetime: Lifetime
    /// Identifies the version of the source.
    let version: String
    /// Scheme and host from which the bytes came, if the source's server redirected to another host; otherwise nil.
    let redirect: String?
    /// The metadata of the response, if a shared cache may store the source; otherwise nil.
    var sharedMetadata: Data?
    /// The strong validator of the origin; nil if it has sent none.
    var entityTag: String?
    /// The tags that the origin has given to the source.
    var tags: [String] = []
    /// The newest purge that was known when the fetch began; see ``PurgeJournal``.
    var seen = 0
    /// The frame of whose parts the bytes consist; nil for a whole source.
    var frame: String?

    init(data: Data, record: SourceRecord, lifetime: Lifetime, redirect: String? = nil) {
        self.data = data
        self.record = record
        self.lifetime = lifetime
        self.redirect = redirect
        version = EntityTag.tag(of: data)
    }

    /// Whether the bytes are no known picture and look like a text: they begin without a binary data byte (MIME Sniffing §3).
    var isText: Bool {
        record.format == .undefined
            && data.prefix(1445).allSatisfy { byte in
                switch byte {
                case 0x00...0x08, 0x0B, 0x0E...0x1A, 0x1C...0x1F: false
                default: true
                }
            }
    }

    /// The media type of the bytes, for a source that is sent unchanged. It is determined from the bytes.
    var mediaType: String { Self.mediaType(of: ImageFormat(sniffing: data)) }

    static func mediaType(of format: ImageFormat) -> String {
        OutputFormat(format)?.mediaType ?? "application/octet-stream"
    }
}

/// Describes the request for which a source is fetched.
struct SourceRequestContext: Sendable {
    /// The request's number in the order in which requests were accepted.
    var request: UInt64
    /// The number of purges of the source when the request was accepted.
    var generation: Int
    /// The W3C trace context. The fetch sends it as `traceparent`.
    var traceParent: String?
    /// The time and the memory of the request. The time includes the fetch.
    var budget: WorkBudget
    /// The tags of the target. If one was purged, the source is fetched again.
    var tags: [String] = []
    /// The newest purge that was known when the request was accepted. A request may receive what was fetched since then, also
    /// if it was purged meanwhile.
    var seen = Int.max
}
