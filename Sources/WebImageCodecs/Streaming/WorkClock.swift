import WebImageCore

/// Adds up the decode time of a picture that arrives in pieces. Throws an error when the sum exceeds the limit. The
/// time between two pieces does not count.
struct WorkClock {
    private let limits: DecodingLimits
    private var spent = Duration.zero

    init(_ limits: DecodingLimits) { self.limits = limits }

    mutating func measure(_ work: () throws(WebImageError) -> Void) throws(WebImageError) {
        let start = ContinuousClock.now
        try work()
        spent += ContinuousClock.now - start
        guard spent < limits.maxDecodeTime else {
            let seconds = Int(clamping: limits.maxDecodeTime.components.seconds)
            throw .limit(.decodeTime, actual: seconds, allowed: seconds)
        }
    }
}
