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
        let start = clock.now
        func count(_ elapsed: TimeInterval) {
            sum += elapsed
            ticks += 1
        }
        link.start { count($0) }
        #expect(link.isRunning)
        #expect(await eventually { sum >= 1 })
        let passed = (clock.now - start) / .seconds(1)
        #expect(abs(sum - passed) < 0.2 && link.isRunning)
        link.stop()
        let stopped = ticks
        #expect(!link.isRunning)
        // The first tick after a restart reports an elapsed time of zero, so the pause does not count as playing time.
        let before = sum
        var first: Double?
        link.start { elapsed in
            first = first ?? elapsed
            count(elapsed)
        }
        #expect(await eventually { ticks > stopped })
        #expect(link.isRunning && first == 0 && sum - before < 0.5)
        link.stop()
        #expect(!link.isRunning)
    }
}
