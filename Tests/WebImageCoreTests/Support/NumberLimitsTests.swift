import Testing

@testable import WebImageCore

/// `NumberLimits` replaces each invalid number with a usable one.
struct NumberLimitsTests {
    @Test func scalesAreFiniteAndAtLeastOne() {
        #expect([Double.nan, -.infinity, .infinity, -2, 0, 0.5].allSatisfy { NumberLimits.scale($0) == 1 })
        #expect(NumberLimits.scale(2.5) == 2.5)
    }

    @Test func frameDurationIsFiniteAndPositive() {
        #expect(NumberLimits.frameSeconds(.nan) == 0.1)
        #expect([-Double.infinity, -1, 0].allSatisfy { NumberLimits.frameSeconds($0) == 0.001 })
        #expect(NumberLimits.frameSeconds(.infinity) == 1e6 && NumberLimits.frameSeconds(0.25) == 0.25)
    }

    @Test func elapsedTimeIsNeverNegative() {
        #expect([Double.nan, .infinity, -.infinity, -1].allSatisfy { NumberLimits.elapsedSeconds($0) == 0 })
        #expect(NumberLimits.elapsedSeconds(1e300) == 1e10 && NumberLimits.elapsedSeconds(3) == 3)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(5)])
    func aDurationCanBeAddedToAnInstant(duration: Duration) {
        let years = Duration.seconds(315_360_000)
        let finite = NumberLimits.finite(duration)
        #expect(finite <= years && finite >= .zero - years)
        #expect(finite == duration || duration > years || duration < .zero - years)
        _ = ContinuousClock.now + finite
    }
}
