package import Foundation
public import WebImageCore

/// A failed attempt of a download. It is the input of a ``DownloadRetryStrategy``.
public struct DownloadFailure: Sendable {
    /// The error of the attempt.
    public var error: WebImageError
    /// The number of attempts so far, including this one.
    public var attempts: Int
    /// The time since the start of the first attempt.
    public var elapsed: Duration
    /// The wait that the server requires in its `Retry-After` field; nil without that field.
    public var retryAfter: Duration?

    /// Makes a description of a failed attempt.
    public init(error: WebImageError, attempts: Int, elapsed: Duration = .zero, retryAfter: Duration? = nil) {
        self.error = error
        self.attempts = attempts
        self.elapsed = elapsed
        self.retryAfter = retryAfter
    }
}

/// Decides whether and when a failed download is tried again. After a 429 with `Retry-After`, the downloads from the same host
/// that have not started wait as long as the failed one. Called on the download's serial queue.
@preconcurrency public protocol DownloadRetryStrategy: Sendable {
    /// Returns the wait before the next attempt; nil ends the download with the error.
    func delay(after failure: DownloadFailure) -> Duration?
}

/// Tries again after temporary failures. The maximum wait doubles with each attempt. The actual wait is the maximum
/// wait minus a random part of it.
public struct ExponentialBackoff: DownloadRetryStrategy {
    /// The maximum number of attempts, including the first one; at least 1.
    public var maxAttempts = 3
    /// The maximum wait before the second attempt. The maximum doubles with each further attempt.
    public var base = Duration.milliseconds(500)
    /// The maximum wait before any attempt. If the server requires a longer wait in `Retry-After`, there is no further
    /// attempt.
    public var maxDelay = Duration.seconds(30)
    /// The largest part of the maximum wait, 0 to 1, that may be subtracted at random. Without random waits, many
    /// clients would retry at the same time.
    public var jitter = 0.5
    private let random: @Sendable () -> Double

    /// Makes a strategy. By default it makes three attempts, with waits of at most 0.5 s and 1 s.
    ///
    /// - Parameter random: Returns random numbers from 0 up to, but not including, 1.
    public init(maxAttempts: Int = 3, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        self.maxAttempts = maxAttempts
        self.random = random
    }

    /// Returns the wait before the next attempt; nil if there is no further attempt. The wait is at least as long as
    /// the server's `Retry-After`.
    public func delay(after failure: DownloadFailure) -> Duration? {
        guard failure.attempts < maxAttempts, Self.maySucceedLater(failure.error) else { return nil }
        // Double the wait step by step until it reaches the limit. Multiplying large durations would overflow.
        let limit = max(min(maxDelay, Self.longestWait), .zero)
        var longest = max(base, .zero)
        for _ in 1..<min(max(failure.attempts, 1), 31) where longest < limit { longest += longest }
        longest = min(longest, limit)
        let taken = min(max(jitter, 0), 1) * random()
        // If `jitter` is NaN, nothing is subtracted.
        let wait = longest * (taken >= 0 ? 1 - min(taken, 1) : 1)
        guard let asked = failure.retryAfter else { return wait }
        return asked > maxDelay ? nil : max(asked, wait)
    }

    /// The upper bound of all waits: 2^38 s, about 8,700 years. Calculations near the maximum of `Duration` would
    /// overflow and stop the program.
    private static let longestWait = Duration.seconds(1 << 38)

    /// Whether an error may be temporary. Temporary errors are the status codes 408, 425, 429, 500, 502, 503 and 504,
    /// and failures of connections and DNS.
    public static func maySucceedLater(_ error: WebImageError) -> Bool {
        switch error.underlying {
        case .http(let status): return [408, 425, 429, 500, 502, 503, 504].contains(status)
        // Curl's codes for failures of DNS and connections. Invalid certificates, malformed responses and refused
        // protocols are not in the list, because waiting does not repair them.
        case .curl(let code, _) where error.code == .transport:
            return [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92, 97].contains(code)
        default: return false
        }
    }
}

extension WebImageResponse {
    /// The wait that `Retry-After` requires; nil without a valid field.
    ///
    /// The field contains seconds or a date. For a date, the result is the time from `now` (seconds since 1970) to that
    /// date.
    package func retryAfter(now: TimeInterval) -> Duration? {
        guard let text = value(forHTTPHeaderField: "retry-after")?.trimmingCharacters(in: .whitespaces) else {
            return nil
        }
        if let seconds = Int(text), seconds >= 0 { return .seconds(min(seconds, 1 << 31)) }
        return HTTPDate.seconds(text).map { .seconds(min(max($0 - now, 0), 2_147_483_648)) }
    }
}
