import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 1))
struct ShutdownTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    @Test func loadsEndCancelledAndNoneBeginsAfterwards() async throws {
        let load = fixture.load()
        async let waiting: WebImageResult? = try? fixture.result()
        #expect(await eventually { fixture.manager.subscriberCount(of: fixture.url) == 2 })
        #expect(await fixture.manager.shutdown())
        #expect(load.ends.map(\.error?.code) == [.cancelled])
        #expect(await waiting == nil && !fixture.manager.isRunning && fixture.manager.sharedTaskCount == 0)
        fixture.answer()
        await #expect { try await fixture.result() } throws: { ($0 as? WebImageError)?.code == .cancelled }
    }

    @Test func shutdownWaitsForRunningWritesUntilTheDeadline() async throws {
        let gate = DispatchSemaphore(value: 0)
        let serializer = WebImageCacheSerializer { _, data, _ in
            gate.wait()
            return data
        }
        fixture.answer()
        _ = try await fixture.result([], [.cacheSerializer: serializer])
        #expect(await fixture.manager.shutdown(deadline: .milliseconds(30)) == false)
        gate.signal()
        #expect(await fixture.manager.shutdown())
        #expect(fixture.cache.disk[fixture.key] == FakeCoder.file())
    }

    @Test func cancelAllEndsEveryLoad() async throws {  // SDWebImageManagerTests.test06CancellAll
        let loads = (0..<10).map { _ in fixture.load() }
        #expect(fixture.manager.isRunning)
        fixture.manager.cancelAll()
        #expect(loads.allSatisfy { $0.ends.map(\.error?.code) == [.cancelled] })
        #expect(!fixture.manager.isRunning)
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
    }
}
