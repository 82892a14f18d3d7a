package import Foundation
public import WebImageCore

/// One failed attempt at a download, as a retry strategy receives it.
public struct DownloadFailure: Sendable {
    /// The error of the attempt.
    public var error: WebImageError
    /// Attempts so far, this one included.
    public var attempts: Int
    /// The time since the start of the first attempt.
    public var elapsed: Duration
    /// The wait that the server asks for in `Retry-After`.
    public var retryAfter: Duration?

    /// Describes a failure.
    public init(error: WebImageError, attempts: Int, elapsed: Duration = .zero, retryAfter: Duration? = nil) {
        self.error = error
        self.attempts = attempts
        self.elapsed = elapsed
        self.retryAfter = retryAfter
    }
}

/// Decides whether and when a failed download is tried again. Called on the download's own queue.
@preconcurrency public protocol DownloadRetryStrategy: Sendable {
    /// Returns the wait before the next attempt; nil gives up.
    func delay(after failure: DownloadFailure) -> Duration?
}

/// Retries temporary failures. Each wait is up to twice as long as the one before, minus a random part.
public struct ExponentialBackoff: DownloadRetryStrategy {
    /// Attempts in all; at least 1.
    public var maxAttempts = 3
    /// The longest wait before the second attempt. It doubles with each further attempt.
    public var base = Duration.milliseconds(500)
    /// The longest wait before any attempt. A longer `Retry-After` gives up.
    public var maxDelay = Duration.seconds(30)
    /// The largest part of a wait that is removed at random, 0 to 1, so that many clients do not retry at the same
    /// moment.
    public var jitter = 0.5
    private let random: @Sendable () -> Double

    /// Makes a strategy of three attempts, with waits of at most 0.5 s and 1 s.
    ///
    /// - Parameter random: Returns random numbers from 0 up to, but not including, 1.
    public init(maxAttempts: Int = 3, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        self.maxAttempts = maxAttempts
        self.random = random
    }

    /// Returns the wait, at least as long as the server asks for.
    public func delay(after failure: DownloadFailure) -> Duration? {
        guard failure.attempts < maxAttempts, Self.maySucceedLater(failure.error) else { return nil }
        // Doubled step by step up to the limit: a product of large durations would overflow.
        let limit = max(min(maxDelay, Self.longestWait), .zero)
        var longest = max(base, .zero)
        for _ in 1..<min(max(failure.attempts, 1), 31) where longest < limit { longest += longest }
        longest = min(longest, limit)
        let taken = min(max(jitter, 0), 1) * random()
        // A factor that is not a number shortens nothing.
        let wait = longest * (taken >= 0 ? 1 - min(taken, 1) : 1)
        guard let asked = failure.retryAfter else { return wait }
        return asked > maxDelay ? nil : max(asked, wait)
    }

    /// 2^38 s, about 8,700 years: far below the maximum of `Duration`, where arithmetic traps.
    private static let longestWait = Duration.seconds(1 << 38)

    /// Whether an error may be temporary: statuses 408, 425, 429, 500, 502, 503 and 504, and failures of connections
    /// and name service.
    public static func maySucceedLater(_ error: WebImageError) -> Bool {
        switch error.underlying {
        case .http(let status): return [408, 425, 429, 500, 502, 503, 504].contains(status)
        // Waiting does not repair certificates, malformed responses or refused protocols.
        case .curl(let code, _) where error.code == .transport:
            return [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92].contains(code)
        default: return false
        }
    }
}

extension WebImageResponse {
    /// The wait that `Retry-After` asks for: seconds, or a date minus `now` (seconds since 1970).
    package func retryAfter(now: TimeInterval) -> Duration? {
        guard let text = value(forHTTPHeaderField: "retry-after")?.trimmingCharacters(in: .whitespaces) else {
            return nil
        }
        if let seconds = Int(text), seconds >= 0 { return .seconds(min(seconds, 1 << 31)) }
        return HTTPDate.seconds(text).map { .seconds(min(max($0 - now, 0), 2_147_483_648)) }
    }
}
