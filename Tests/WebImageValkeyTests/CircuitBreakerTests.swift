import Testing

@testable import WebImageCore

@Suite struct CircuitBreakerTests {
    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.failed(.granted, at: .zero) }
        return breaker
    }

    @Test func opensAfterFiveFailuresInARow() {
        var breaker = CircuitBreaker()
        for _ in 0..<4 { breaker.failed(.granted, at: .zero) }
        breaker.succeeded()
        for _ in 0..<4 { breaker.failed(.granted, at: .zero) }
        #expect(breaker.permission(at: .zero) == .granted)
        breaker.failed(.granted, at: .zero)
        #expect(breaker.permission(at: .milliseconds(249)) == .refused)
    }

    @Test func oneProbeAfterThePauseDecides() {
        var breaker = opened()
        #expect(breaker.permission(at: .milliseconds(250)) == .probe)
        #expect(breaker.permission(at: .milliseconds(250)) == .refused)
        breaker.succeeded()
        #expect(breaker.permission(at: .milliseconds(250)) == .granted)
    }

    @Test func failedProbeDoublesThePauseUpToTenSeconds() {
        var breaker = opened()
        var now = Duration.milliseconds(250)
        for pause in [500, 1000, 2000, 4000, 8000, 10_000, 10_000] {
            #expect(breaker.permission(at: now) == .probe)
            breaker.failed(.probe, at: now)
            #expect(breaker.permission(at: now + .milliseconds(pause - 1)) == .refused)
            now += .milliseconds(pause)
        }
    }

    @Test func lateFailuresOfOlderCallsDoNotProlongThePause() {
        var breaker = opened()
        for _ in 0..<16 { breaker.failed(.granted, at: .milliseconds(100)) }
        #expect(breaker.permission(at: .milliseconds(250)) == .probe)
        // Nor do they decide for the probe.
        breaker.failed(.granted, at: .milliseconds(251))
        breaker.succeeded()
        #expect(!breaker.isOpen)
    }

    @Test func probeThatWasGivenUpIsRepeatedAtOnce() {
        var breaker = opened()
        #expect(breaker.permission(at: .milliseconds(250)) == .probe)
        breaker.gaveUp(.granted)
        #expect(breaker.permission(at: .milliseconds(250)) == .refused)
        breaker.gaveUp(.probe)
        #expect(breaker.permission(at: .milliseconds(250)) == .probe)
    }
}
