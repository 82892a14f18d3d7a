import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageLoading

@Suite(.timeLimit(minutes: 1))
struct MemoryPressureTests {
    func filled(_ source: MemoryPressureRelay) -> MemoryCache {
        var config = ImageCacheConfig()
        config.maxMemoryCost = .max
        config.memoryPressureSource = source
        let cache = MemoryCache(config: config)
        for key in 0..<10 { cache.setObject(picture(), forKey: "\(key)", cost: 10) }
        return cache
    }

    @Test func warningReleasesHalfAndCriticalReleasesAll() {
        let source = MemoryPressureRelay()
        let cache = filled(source)
        source.report(.warning)
        #expect(cache.totalCost == 50)
        #expect(cache.object(forKey: "9") != nil)
        source.report(.critical)
        #expect(cache.totalCost == 0)
    }

    @Test func imagesInUseAreHitsAfterMemoryPressure() {  // SDImageCacheTests.test46MemoryCacheWeakCache
        let source = MemoryPressureRelay()
        let cache = filled(source)
        let held = picture()
        cache.setObject(held, forKey: "held", cost: 10)
        source.report(.critical)
        #expect(cache.object(forKey: "0") == nil)
        #expect(cache.object(forKey: "held") === held)
        var config = ImageCacheConfig()
        config.shouldUseWeakMemoryCache = false
        cache.configDidChange(config)
        source.report(.critical)
        #expect(cache.object(forKey: "held") == nil)
    }

    @Test func aReleasedCacheNoLongerObservesMemoryPressure() {
        let source = MemoryPressureRelay()
        let calls = Locked(0)
        var token: (any Sendable)? = source.observe { _ in calls.withLock { $0 += 1 } }
        source.report(.warning)
        withExtendedLifetime(token) {}
        token = nil
        source.report(.warning)
        #expect(calls.withLock { $0 } == 1)
        weak let lost = filled(source)
        #expect(lost == nil)
    }

    @Test func pressureIsWatchedOnlyWithAnObserver() {
        let starts = Locked(0)
        let source = MemoryPressureRelay { starts.withLock { $0 += 1 } }
        #expect(starts.withLock { $0 } == 0)
        let tokens = [source.observe { _ in }, source.observe { _ in }]
        #expect(starts.withLock { $0 } == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test(arguments: [
        (100, 50, nil), (100, 9, MemoryPressure.warning), (100, 4, .critical), (0, 0, nil),
    ])
    func pressureLevelFollowsTheShareOfAvailableMemory(total: Int, available: Int, expected: MemoryPressure?) {
        let text = "MemTotal:       \(total)000 kB\nMemFree:  1 kB\nMemAvailable:   \(available)000 kB\n"
        #expect(MemoryPressureWatcher.pressure(meminfo: text) == expected)
        #expect(MemoryPressureWatcher.pressure(meminfo: "garbage") == nil)
    }

    @Test func controlGroupIsReadBeforeTheMachine() {
        #expect(
            MemoryPressureWatcher.pressureFiles(groups: "3:cpu:/y\n0::/user.slice/app\n")
                == ["/sys/fs/cgroup/user.slice/app/memory.pressure", "/proc/pressure/memory"])
        #expect(MemoryPressureWatcher.pressureFiles(groups: "3:cpu:/y\n") == ["/proc/pressure/memory"])
    }

    @Test(.enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0, "the kernel has no PSI"))
    func kernelAcceptsThePressureTrigger() throws {
        let file = try #require(
            MemoryPressureWatcher.open("some 200000 2000000", files: ["/nowhere", "/proc/pressure/memory"]))
        var polled = [pollfd(fd: file, events: Int16(POLLPRI), revents: 0)]
        #expect(poll(&polled, 1, 0) >= 0)
        #expect(polled[0].revents & Int16(POLLERR | POLLNVAL) == 0)
        close(file)
        #expect(MemoryPressureWatcher.open("nonsense", files: ["/proc/pressure/memory"]) == nil)
    }
}
