package import Foundation
package import WebImageCore
import WebImageHTTP
import WebImageLoading

/// A client for one bucket of an S3-compatible store. libcurl signs and sends the requests; a thread of its own runs
/// all transfers.
///
/// Temporary failures (`SlowDown`, `InternalError`, a broken connection) are tried again with growing, partly random
/// waits. No call outlives its budget, which includes the waits.
package final class S3Client: Sendable {
    package let configuration: S3Configuration
    private let engine: CurlEngine
    private let credentials: S3CredentialCache
    private let clock: any DelayClock
    private let backoff: ExponentialBackoff
    /// The difference between the clock of the store and the own clock, in seconds, if it is too large for signatures.
    private let skew = Locked<TimeInterval?>(nil)

    /// The number of requests that a group of calls sends at the same time.
    private static let width = 16
    /// The largest response that is not an object: a list of 1,000 names, or an error.
    private static let mostListBytes = 4 << 20

    /// - Parameter label: A suffix of the entries in ``HandleLedger``, for tests.
    package init(
        _ configuration: S3Configuration, environment: [String: String] = ProcessInfo.processInfo.environment,
        clock: any DelayClock = SystemClock(), label: String = ""
    ) {
        self.configuration = configuration
        self.clock = clock
        engine = CurlEngine(label: label)
        credentials = S3CredentialCache(configuration.credentials, clock: clock, environment: environment)
        var backoff = ExponentialBackoff(maxAttempts: .max)
        backoff.base = .milliseconds(100)
        backoff.maxDelay = .seconds(5)
        self.backoff = backoff
    }

    /// Ends all calls with `.cancelled` and closes all connections. Blocks until the engine's thread has ended.
    package func shutDown() { engine.shutdown() }

    // MARK: Objects

    /// Reads an object, or a part of it.
    ///
    /// - Parameters:
    ///   - version: The version of the object; nil for the newest one.
    ///   - range: The wanted bytes; nil for all. A range that begins behind the object's end is `.refused(416)`.
    ///   - unless: The entity tag of a known version. If the object still has it, the result has no bytes.
    ///   - tag: The entity tag that the object must have; nil for any. Not every store checks it: compare
    ///     ``S3Object/tag``, too.
    ///   - most: The most bytes to receive.
    ///   - endsEarly: Whether the bytes that have arrived are enough; see ``S3Object/wholeSize``.
    package func get(
        _ key: String, version: String? = nil, range: Range<Int>? = nil, unless: String? = nil, if tag: String? = nil,
        most: Int = .max, within budget: Duration, endsEarly: (@Sendable (S3Object) -> Bool)? = nil
    ) async -> Result<S3Object, S3Failure> {
        var request = S3Request("GET", key)
        if let version { request.query.append(("versionId", version)) }
        if let range {
            guard range.lowerBound >= 0, !range.isEmpty else { return .failure(.refused(status: 416, code: "")) }
            request.fields["Range"] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        }
        if let unless { request.fields["If-None-Match"] = unless }
        if let tag { request.fields["If-Match"] = tag }
        request.mostBytes = most
        if let endsEarly { request.endsEarly = { endsEarly(S3Object($0, $1)) } }
        let result = await perform(request, attempts: configuration.readAttempts, within: budget)
        return result.map { S3Object($0) }
    }

    /// The number of parts of one object that are read at the same time.
    private static let partWidth = 4

    /// Reads a whole object of one version. A long object is read in parts, several at a time: a broken connection then
    /// costs one part, and an object that is too long costs one part as well.
    ///
    /// - Parameters:
    ///   - version: The version of the object; nil for the newest one.
    ///   - unless: The entity tag of a known version. If the object still has it, the result has no bytes.
    ///   - most: The most bytes of the object.
    ///   - endsEarly: Whether the bytes that have arrived of the first part are enough. The result then has only these.
    ///   - progress: Receives the number of received bytes and the size of the object.
    package func whole(
        _ key: String, version: String? = nil, unless: String? = nil, most: Int = .max, within budget: Duration,
        endsEarly: (@Sendable (S3Object) -> Bool)? = nil,
        progress: (_ received: Int, _ size: Int) -> Void = { _, _ in }
    ) async -> Result<S3Object, S3Failure> {
        let deadline = clock.now + budget
        // An object that is replaced while it is read has parts of two versions, so it is read again.
        for _ in 0..<2 {
            let result = await parts(
                of: key, version: version, unless: unless, most: most, until: deadline, endsEarly: endsEarly,
                progress: progress)
            if result.failure != .preconditionFailed { return result }
        }
        return .failure(.changing)
    }

    private func parts(
        of key: String, version: String?, unless: String?, most: Int, until deadline: Duration,
        endsEarly: (@Sendable (S3Object) -> Bool)?, progress: (_ received: Int, _ size: Int) -> Void
    ) async -> Result<S3Object, S3Failure> {
        func object() async -> Result<S3Object, S3Failure> {
            await get(key, version: version, unless: unless, most: most, within: deadline - clock.now)
        }
        let first: S3Object
        let part = configuration.partBytes
        let wanted = 0..<part
        switch await get(
            key, version: version, range: wanted, unless: unless, most: most, within: deadline - clock.now,
            endsEarly: endsEarly)
        {
        // An empty object has no first byte.
        case .failure(.refused(416, _)): return await object()
        case .failure(let failure): return .failure(failure)
        case .success(let found): first = found
        }
        guard !first.isNotModified, let size = first.wholeSize, first.data.count < size else { return .success(first) }
        if let endsEarly, endsEarly(first) { return .success(first) }
        guard size <= most else { return .failure(.tooLarge) }
        // Without a strong tag, parts of two versions cannot be told apart.
        guard let tag = first.tag, !tag.hasPrefix("W/"), !first.data.isEmpty else { return await object() }
        progress(first.data.count, size)
        var starts = stride(from: first.data.count, to: size, by: part).makeIterator()
        return await withTaskGroup(of: (start: Int, result: Result<S3Object, S3Failure>).self) { group in
            func add() {
                guard let start = starts.next() else { return }
                let range = start..<min(start + part, size)
                group.addTask {
                    let left = deadline - self.clock.now
                    let part = await self.get(
                        key, version: version, range: range, if: tag, most: range.count, within: left)
                    return (start, part)
                }
            }
            for _ in 0..<Self.partWidth { add() }
            var (whole, waiting) = (first, [Int: Data]())
            for await (start, result) in group {
                guard case .success(let found) = result, found.tag == tag,
                    found.data.count == min(part, size - start)
                else {
                    group.cancelAll()
                    return .failure(result.failure ?? .preconditionFailed)
                }
                waiting[start] = found.data
                while let data = waiting.removeValue(forKey: whole.data.count) { whole.data.append(data) }
                progress(whole.data.count, size)
                add()
            }
            return .success(whole)
        }
    }

    /// Stores an object.
    ///
    /// - Returns: The entity tag of the object; `.preconditionFailed` if the condition does not hold.
    package func put(
        _ data: Data, at key: String, if condition: S3Condition? = nil, within budget: Duration
    ) async -> Result<String?, S3Failure> {
        var request = S3Request("PUT", key)
        request.body = data
        request.fields["Content-Type"] = "application/octet-stream"
        switch condition {
        case nil: break
        case .isAbsent: request.fields["If-None-Match"] = "*"
        case .hasTag(let tag): request.fields["If-Match"] = tag
        }
        if !configuration.tags.isEmpty {
            request.fields["x-amz-tagging"] = configuration.tags.sorted { $0.key < $1.key }
                .map { "\(S3Encoding.value($0.key))=\(S3Encoding.value($0.value))" }.joined(separator: "&")
        }
        let result = await perform(request, attempts: configuration.writeAttempts, within: budget)
        return result.map { $0.response.value(forHTTPHeaderField: "etag") }
    }

    /// Removes an object. An object that does not exist counts as removed.
    package func remove(_ key: String, within budget: Duration) async -> Result<Void, S3Failure> {
        let result = await perform(S3Request("DELETE", key), attempts: configuration.writeAttempts, within: budget)
        switch result {
        case .success, .failure(.missing): return .success(())
        case .failure(let failure): return .failure(failure)
        }
    }

    /// Removes objects, several at a time. Returns the first failure; the other objects are removed nevertheless.
    package func remove(_ keys: some Sequence<String>, within budget: Duration) async -> Result<Void, S3Failure> {
        let deadline = clock.now + budget
        return await withTaskGroup(of: S3Failure?.self) { group in
            var (running, failure) = (0, S3Failure?.none)
            for key in keys {
                if running >= Self.width, let ended = await group.next() {
                    running -= 1
                    failure = failure ?? ended
                }
                running += 1
                group.addTask {
                    let result = await self.remove(key, within: deadline - self.clock.now)
                    if case .failure(let failure) = result { return failure }
                    return nil
                }
            }
            for await ended in group { failure = failure ?? ended }
            return failure.map { .failure($0) } ?? .success(())
        }
    }

    /// Returns one page of the objects whose names begin with `prefix`, at most 1,000, in the order of their names.
    ///
    /// - Parameter token: ``S3Page/next`` of the page before; nil for the first page.
    package func list(
        prefix: String, after token: String? = nil, most: Int = 1000, within budget: Duration
    ) async -> Result<S3Page, S3Failure> {
        var request = S3Request("GET", nil)
        request.query = [
            ("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix),
            ("max-keys", "\(min(max(most, 1), 1000))"),
        ]
        if let token { request.query.append(("continuation-token", token)) }
        request.mostBytes = Self.mostListBytes
        let result = await perform(request, attempts: configuration.readAttempts, within: budget)
        return result.flatMap { answer in
            S3Page(answer.body).map { .success($0) } ?? .failure(.refused(status: 200, code: "no list of objects"))
        }
    }

    /// Makes the bucket. A bucket that exists already counts as made.
    package func makeBucket(within budget: Duration) async -> Result<Void, S3Failure> {
        var request = S3Request("PUT", nil)
        request.body = Data()
        switch await perform(request, attempts: configuration.writeAttempts, within: budget) {
        case .success, .failure(.refused(409, "BucketAlreadyOwnedByYou")): return .success(())
        case .failure(let failure): return .failure(failure)
        }
    }

    /// Tests which conditions of a `PUT` the store really enforces. Many stores accept the fields and ignore them.
    ///
    /// Stores and removes one object below `prefix`.
    package func testConditions(prefix: String, within budget: Duration) async -> Result<S3Conditions, S3Failure> {
        let key = "\(prefix)conditions-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let deadline = clock.now + budget
        var left: Duration { deadline - clock.now }
        var conditions = S3Conditions()
        do {
            let tag = try await put(Data("1".utf8), at: key, within: left).get()
            conditions.enforcesAbsence = try await isRefused(key, if: .isAbsent, within: left)
            let refusesOthers = try await isRefused(
                key, if: .hasTag("\"00000000000000000000000000000000\""), within: left)
            if refusesOthers, let tag {
                // The tag may have changed if the store has accepted one of the requests above.
                conditions.enforcesMatch = !(try await isRefused(key, if: .hasTag(tag), within: left))
            }
        } catch {
            _ = await remove(key, within: left)
            return .failure(error)
        }
        return await remove(key, within: left).map { conditions }
    }

    private func isRefused(
        _ key: String, if condition: S3Condition, within budget: Duration
    ) async throws(S3Failure) -> Bool {
        switch await put(Data("2".utf8), at: key, if: condition, within: budget) {
        case .success: return false
        case .failure(.preconditionFailed): return true
        // A store that does not know the field answers that it is not implemented.
        case .failure(.refused(501, _)): return false
        case .failure(let failure): throw failure
        }
    }

    // MARK: Requests

    private func perform(
        _ request: S3Request, attempts: Int, within budget: Duration
    ) async -> Result<HTTPExchange.Answer, S3Failure> {
        let start = clock.now
        var (attempt, mayRenew) = (1, true)
        while true {
            let left = budget - (clock.now - start)
            guard left > .zero else { return .failure(.late) }
            let key: S3Credentials?
            do {
                key = try await credentials.credentials()
            } catch {
                return .failure(Task.isCancelled ? .cancelled : .unconfigured("\(error)"))
            }
            guard let exchange = exchange(request, key) else {
                return .failure(.unconfigured("an object's name makes no URL"))
            }
            let failure: WebImageError
            var retryAfter: Duration?
            do throws(WebImageError) {
                let answer = try await exchange.perform(
                    on: engine, within: left, clock: clock, endsEarly: request.endsEarly)
                let status = answer.response.statusCode ?? 0
                if (200..<300).contains(status) || status == 304 { return .success(answer) }
                let code = S3Document.first("Code", in: answer.body) ?? ""
                if mayRenew, status == 403 || status == 400, renew(code, key, answer.response) {
                    mayRenew = false
                    continue
                }
                guard Self.isTemporary(status, code) else { return .failure(S3Failure(status, code, answer.response)) }
                failure = WebImageError(.transport, stage: .cache, underlying: .http(status: 503))
                retryAfter = answer.response.retryAfter(now: clock.date)
                if attempt >= attempts { return .failure(.busy(status: status, code: code)) }
            } catch {
                if error.code == .cancelled { return .failure(.cancelled) }
                if error.code == .limitExceeded { return .failure(.tooLarge) }
                failure = error
                if clock.now - start >= budget { return .failure(.late) }
                if attempt >= attempts || !ExponentialBackoff.maySucceedLater(error) {
                    return .failure(.down(error.description))
                }
            }
            let elapsed = clock.now - start
            guard
                let pause = backoff.delay(
                    after: DownloadFailure(
                        error: failure, attempts: attempt, elapsed: elapsed, retryAfter: retryAfter)),
                elapsed + pause < budget
            else { return .failure(.late) }
            guard await clock.wait(for: pause) else { return .failure(.cancelled) }
            attempt += 1
        }
    }

    private func exchange(_ wanted: S3Request, _ key: S3Credentials?) -> HTTPExchange? {
        guard let url = configuration.url(key: wanted.key, query: wanted.query) else { return nil }
        var request = WebImageRequest(url: url)
        request.httpMethod = wanted.method
        request.httpBody = wanted.body
        request.maxBodyBytes = wanted.mostBytes
        for (name, value) in wanted.fields { request.setValue(value, forHTTPHeaderField: name) }
        if key != nil {
            request.setValue(S3Hash.text(of: wanted.body ?? Data()), forHTTPHeaderField: "x-amz-content-sha256")
        }
        if let token = key?.sessionToken { request.setValue(token, forHTTPHeaderField: "x-amz-security-token") }
        if key != nil, let skew = skew.withLock({ $0 }) {
            request.setValue(S3Hash.date(clock.date + skew), forHTTPHeaderField: "X-Amz-Date")
        }
        var exchange = HTTPExchange(request)
        exchange.certificateAuthorityFile = configuration.certificateAuthorityFile
        exchange.signing = key.map {
            HTTPExchange.Signing(keyID: $0.keyID, secret: $0.secret, region: configuration.region, service: "s3")
        }
        return exchange
    }

    /// Whether a refused request can succeed with new credentials or with the store's time.
    private func renew(_ code: String, _ key: S3Credentials?, _ response: WebImageResponse) -> Bool {
        guard let key else { return false }
        switch code {
        case "ExpiredToken", "InvalidAccessKeyId", "TokenRefreshRequired": return credentials.refuse(key)
        case "RequestTimeTooSkewed":
            guard let date = HTTPDate.seconds(response.value(forHTTPHeaderField: "date")) else { return false }
            skew.withLock { $0 = date - clock.date }
            return true
        default: return false
        }
    }

    private static func isTemporary(_ status: Int, _ code: String) -> Bool {
        status >= 500 && status != 501 || status == 429
            || status == 400 && code == "RequestTimeout" || status == 409 && code == "ConditionalRequestConflict"
    }
}

/// One request before it is signed.
private struct S3Request {
    var method: String
    /// The name of the object; nil for the bucket.
    var key: String?
    var query: [(String, String)] = []
    var fields: [String: String] = [:]
    var body: Data?
    var mostBytes = 1 << 20
    var endsEarly: (@Sendable (Data, WebImageResponse) -> Bool)?

    init(_ method: String, _ key: String?) { (self.method, self.key) = (method, key) }
}
