import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@MainActor @Suite(.timeLimit(minutes: 1))
struct DisplayLinkTests {
    @Test func theTimesOfAllTicksAreTheTimeThatPassed() async {  // SDUtilsTests.testSDDisplayLink
        let link = TimerDisplayLink()
        var (sum, ticks) = (0.0, 0)
        let clock = ContinuousClock()
        // The first tick reports no time, so the time counts from it, to the last one.
        var (first, last): (ContinuousClock.Instant?, ContinuousClock.Instant) = (nil, clock.now)
        func count(_ elapsed: TimeInterval) {
            last = clock.now
            first = first ?? last
            sum += elapsed
            ticks += 1
        }
        link.start { count($0) }
        #expect(link.isRunning)
        #expect(await eventually { sum >= 1 })
        let passed = (last - (first ?? last)) / .seconds(1)
        #expect(abs(sum - passed) < 0.2 && link.isRunning)
        link.stop()
        let stopped = ticks
        #expect(!link.isRunning)
        // The first tick after a restart reports an elapsed time of zero, so the pause does not count as playing time.
        let before = sum
        var restart: Double?
        link.start { elapsed in
            restart = restart ?? elapsed
            count(elapsed)
        }
        #expect(await eventually { ticks > stopped })
        #expect(link.isRunning && restart == 0 && sum - before < 0.5)
        link.stop()
        #expect(!link.isRunning)
    }
}
