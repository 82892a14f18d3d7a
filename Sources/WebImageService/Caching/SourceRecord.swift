import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// What a stored source or result carries about its origin, so that a reader judges it by its own settings. Another service
/// can have stored it, or this one before a reload.
struct SourceRecord: Sendable, Hashable {
    /// The origin's own fields, the times of the answer, and the servers from which it came.
    var response: StoredResponse
    /// The number of bytes of the source.
    let byteCount: Int
    /// The format of the source, determined from its bytes.
    let format: ImageFormat
    /// The number of pixels of the source; nil if it was not read.
    var pixelCount: Int?

    init(_ response: StoredResponse, of data: Data) {
        self.init(response, byteCount: data.count, format: ImageFormat(sniffing: data))
    }

    private init(_ response: StoredResponse, byteCount: Int, format: ImageFormat, pixelCount: Int? = nil) {
        (self.response, self.byteCount, self.format) = (response, byteCount, format)
        self.pixelCount = pixelCount
    }

    /// The record of bytes that come from no server, such as a file.
    static func local(_ data: Data, maxAge: Int? = nil, now: TimeInterval) -> SourceRecord {
        let fields = maxAge.map { ["cache-control": "max-age=\($0)"] } ?? [:]
        return SourceRecord(
            StoredResponse(
                WebImageResponse(url: nil, allHeaderFields: fields),
                to: WebImageRequest(url: URL(fileURLWithPath: "/")), requestTime: now,
                responseTime: now), of: data)
    }

    /// The longest time in seconds by which clocks of machines differ without consequences.
    private static let clockTolerance: TimeInterval = 1

    /// Whether the clock that wrote the record was ahead of this one, so that the age cannot be computed.
    func isFromFuture(now: TimeInterval) -> Bool { response.responseTime > now + Self.clockTolerance }

    /// The record as if the clock that wrote it had not been ahead.
    func corrected(by seconds: TimeInterval) -> SourceRecord {
        guard seconds > 0 else { return self }
        var record = self
        record.response.requestTime -= seconds
        record.response.responseTime -= seconds
        return record
    }

    /// Whether the times can have been written by a service. Sums of them must have a value.
    var isPlausible: Bool {
        (0...1e12).contains(response.responseTime) && (0...1e12).contains(response.requestTime) && byteCount >= 0
            && (pixelCount ?? 0) >= 0
    }
}

extension SourceRecord: Codable {
    private enum Key: String, CodingKey { case response, byteCount, format, pixelCount }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let text = try values.decode(String.self, forKey: .response)
        guard let response = StoredResponse(serialized: Data(text.utf8)) else {
            throw DecodingError.dataCorruptedError(forKey: .response, in: values, debugDescription: "no response")
        }
        self.init(
            response, byteCount: try values.decode(Int.self, forKey: .byteCount),
            format: ImageFormat(rawValue: try values.decode(Int.self, forKey: .format)),
            pixelCount: try values.decodeIfPresent(Int.self, forKey: .pixelCount))
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(String(decoding: response.serialized, as: UTF8.self), forKey: .response)
        try values.encode(byteCount, forKey: .byteCount)
        try values.encode(format.rawValue, forKey: .format)
        try values.encodeIfPresent(pixelCount, forKey: .pixelCount)
    }
}

/// Judges stored sources and results by the settings of the service that uses them. Every way to a picture leads here: the
/// network, the disk, the tiers, the memory, and work of another request.
struct StoredRules: Sendable {
    let policy: DownloadPolicy
    /// Whether this service has checked the addresses of its sources. A loader of the program checks them itself and does
    /// not report them.
    var judgesAddresses = true
    let output: OutputSettings
    let bounds: Lifetime.Bounds
    /// The most seconds for which a failure is remembered.
    let negativeTTL: Int

    /// Refuses a source that this service would not have used.
    ///
    /// - Parameter location: Only sources from the web have servers to judge.
    func check(_ record: SourceRecord, _ location: SourcePolicy.Location) throws(ServiceRefusal) {
        if case .web = location, judgesAddresses {
            guard !record.response.hops.isEmpty else { throw Self.unknown }
            for hop in record.response.hops {
                guard let url = URL(string: hop.origin), allows(hop.address, of: url) else {
                    throw ServiceRefusal(403, .source, "the source is not allowed by the download policy")
                }
                guard policy.refusal(of: url) == nil else { throw .redirect }
            }
        }
        guard record.byteCount <= output.decoding.maxEncodedBytes else {
            throw ServiceRefusal(
                413, .limit, "the source exceeds the limit of encodedBytes (\(output.decoding.maxEncodedBytes))")
        }
        if let count = record.pixelCount, count > output.decoding.maxPixels {
            throw ServiceRefusal(413, .limit, "the source exceeds the limit of pixels (\(output.decoding.maxPixels))")
        }
        if record.format != .undefined { try output.check(record.format) }
    }

    private func allows(_ address: String, of url: URL) -> Bool {
        if address == ResponseHop.publicAddress { return true }
        return IPAddress(address).map { policy.refusal(of: $0, url: url) == nil } ?? false
    }

    private static let unknown = ServiceRefusal(403, .source, "the servers of the source are not known")

    /// The lifetime of a source by the settings of this service.
    ///
    /// - Parameter storage: The rule for the source, or for its result.
    func lifetime(_ record: SourceRecord, _ storage: StorageRules.Storage = StorageRules.Storage()) -> Lifetime {
        storage.limited(Lifetime(origin: record.response, bounds: bounds))
    }

    /// Maps the error of a source to a refusal. A cache may use the refusal again as long as the response that caused it, but
    /// not longer than ``negativeTTL``: a server can say `no-store` with a status of 404. The client receives the
    /// `Retry-After` of a server that is overloaded.
    func refusal(_ error: WebImageError, now: TimeInterval) -> ServiceRefusal {
        var refusal = ServiceRefusal(error)
        guard let response = error.response, let url = response.url ?? error.url else { return refusal }
        var bounds = bounds
        // Without a lifetime of its own, a failure has the one of failures and not the one of pictures.
        bounds.standard = negativeTTL
        bounds.most = max(bounds.most, negativeTTL)
        let stored = StoredResponse(response, to: WebImageRequest(url: url), requestTime: now, responseTime: now)
        let lifetime = Lifetime(origin: stored, bounds: bounds)
        refusal.lifetime = lifetime.isStorable ? min(max(lifetime.maxAge - lifetime.age, 0), negativeTTL) : 0
        if let status = response.statusCode, [429, 503].contains(status), let wait = response.retryAfter(now: now) {
            let seconds = Int((wait / .seconds(1)).rounded(.up))
            refusal.retryAfter = seconds > 0 ? seconds : nil
            // A client that waits for as long must not receive the remembered failure.
            refusal.lifetime = min(refusal.lifetime ?? negativeTTL, seconds)
        }
        return refusal
    }

    /// The lifetime that other machines may know: without ``Lifetime/Bounds/least`` of this service.
    func sharedLifetime(_ record: SourceRecord, _ storage: StorageRules.Storage) -> Lifetime {
        var bounds = bounds
        bounds.least = 0
        return storage.limited(Lifetime(origin: record.response, bounds: bounds))
    }

    /// Whether a stored source may be used without a request.
    ///
    /// - Parameters:
    ///   - storages: The rules for the source and for the result that is made from it.
    func verdict(
        _ record: SourceRecord, of url: URL, _ storages: [StorageRules.Storage], now: TimeInterval
    ) -> CachedVerdict {
        let age = HTTPCachePolicy(isShared: true).age(record.response, now: now)
        guard !record.isFromFuture(now: now), let age else { return .unusable }
        let lifetimes = storages.map { lifetime(record, $0) }
        let isFresh = lifetimes.allSatisfy { age < Double($0.maxAge) }
        if isFresh,
            HTTPCachePolicy(isShared: true).hasFreshRedirects(record.response, for: WebImageRequest(url: url), now: now)
        {
            return .fresh
        }
        // The setting for stale results applies to results: with it, a failure would be made anew at each request.
        let isUsable =
            lifetimes.allSatisfy { age < Double($0.maxAge + $0.staleIfError) }
            && HTTPCachePolicy(heuristicFraction: 0, isShared: true).mayServeAfterError(
                record.response, for: WebImageRequest(url: url), now: now)
        return isUsable ? .usableAfterError : .unusable
    }
}

extension ResultEntry {
    /// Returns the entry with its lifetime by the settings of this service.
    ///
    /// - Throws: A refusal if this service would not have used the source, or cannot know it.
    func judged(
        by rules: StoredRules, _ reference: SourcePolicy.Reference, _ storage: StorageRules.Storage, now: TimeInterval
    ) throws(ServiceRefusal) -> ResultEntry {
        guard let record = head.record, !record.isFromFuture(now: now) else {
            throw ServiceRefusal(500, .internalError, "the stored result cannot be judged")
        }
        try rules.check(record, reference.location)
        var entry = self
        entry.head.lifetime = rules.lifetime(record, storage)
        // The fields that decide this are not stored.
        entry.head.lifetime.staysHere = head.lifetime.staysHere
        entry.head.stored = record.response.responseTime
        if !head.lifetime.isShared { entry.head.lifetime.isShared = false }
        return entry
    }
}

extension StoredRules {
    /// Refuses a result of work that another request has begun, perhaps before a reload.
    func check(_ entry: ResultEntry, _ reference: SourcePolicy.Reference) throws(ServiceRefusal) {
        if let record = entry.head.record { try check(record, reference.location) }
    }
}
