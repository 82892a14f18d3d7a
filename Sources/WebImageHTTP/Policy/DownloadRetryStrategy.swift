package import Foundation
public import WebImageCore

/// One failed attempt at a download, as a retry strategy sees it.
public struct DownloadFailure: Sendable {
    /// What went wrong.
    public var error: WebImageError
    /// Attempts so far, this one included.
    public var attempts: Int
    /// The time since the first attempt began.
    public var elapsed: Duration
    /// What the server asked for in `Retry-After`.
    public var retryAfter: Duration?

    /// Describes a failure.
    public init(error: WebImageError, attempts: Int, elapsed: Duration = .zero, retryAfter: Duration? = nil) {
        self.error = error
        self.attempts = attempts
        self.elapsed = elapsed
        self.retryAfter = retryAfter
    }
}

/// Decides whether and when a failed download is tried again. Called on a queue of the download's.
@preconcurrency public protocol DownloadRetryStrategy: Sendable {
    /// How long to wait before the next attempt; nil gives up.
    func delay(after failure: DownloadFailure) -> Duration?
}

/// Tries again what may pass by itself, waiting twice as long each time, by chance a little less.
public struct ExponentialBackoff: DownloadRetryStrategy {
    /// Attempts in all; at least 1.
    public var maxAttempts = 3
    /// The longest wait before the second attempt; doubled for each further one.
    public var base = Duration.milliseconds(500)
    /// The longest wait of all. A `Retry-After` beyond it gives up.
    public var maxDelay = Duration.seconds(30)
    /// The part of a wait that chance may take away, so that many clients do not come back at once; 0 to 1.
    public var jitter = 0.5
    private let random: @Sendable () -> Double

    /// Three attempts, up to half a second and one second apart.
    ///
    /// - Parameter random: Numbers from 0 up to 1.
    public init(maxAttempts: Int = 3, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }) {
        self.maxAttempts = maxAttempts
        self.random = random
    }

    /// The wait, at least as long as the server asked for.
    public func delay(after failure: DownloadFailure) -> Duration? {
        guard failure.attempts < maxAttempts, Self.maySucceedLater(failure.error) else { return nil }
        // By doubling up to the longest wait: a product of large durations would overflow.
        let limit = max(min(maxDelay, Self.longestWait), .zero)
        var longest = max(base, .zero)
        for _ in 1..<min(max(failure.attempts, 1), 31) where longest < limit { longest += longest }
        longest = min(longest, limit)
        let taken = min(max(jitter, 0), 1) * random()
        // A factor that is no number takes nothing away.
        let wait = longest * (taken >= 0 ? 1 - min(taken, 1) : 1)
        guard let asked = failure.retryAfter else { return wait }
        return asked > maxDelay ? nil : max(asked, wait)
    }

    /// Some ten thousand years: far from the end of `Duration`, at which arithmetic traps.
    private static let longestWait = Duration.seconds(1 << 38)

    /// Whether an error is one that may pass by itself: 408, 425, 429, 500, 502, 503, 504, connections, name service.
    public static func maySucceedLater(_ error: WebImageError) -> Bool {
        switch error.underlying {
        case .http(let status): return [408, 425, 429, 500, 502, 503, 504].contains(status)
        // Certificates, malformed answers and refused protocols do not change by waiting.
        case .curl(let code, _) where error.code == .transport:
            return [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92].contains(code)
        default: return false
        }
    }
}

extension WebImageResponse {
    /// What `Retry-After` asks for: seconds, or a date counted from `now` (seconds since 1970).
    package func retryAfter(now: TimeInterval) -> Duration? {
        guard let text = value(forHTTPHeaderField: "retry-after")?.trimmingCharacters(in: .whitespaces) else {
            return nil
        }
        if let seconds = Int(text), seconds >= 0 { return .seconds(min(seconds, 1 << 31)) }
        return HTTPDate.seconds(text).map { .seconds(min(max($0 - now, 0), 2_147_483_648)) }
    }
}
