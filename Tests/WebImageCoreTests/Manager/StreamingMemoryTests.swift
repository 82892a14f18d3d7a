import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Tests the memory that a load with partial images uses in addition to the loader's copy of the body.
@Suite(.timeLimit(minutes: 1))
struct StreamingMemoryTests {
    /// Creates the pieces of a body and counts the pieces that are still referenced.
    private final class Pieces: Sendable {
        private let live = Locked(0)
        var liveCount: Int { live.withLock { $0 } }

        func make(_ bytes: Data) -> Data {
            live.withLock { $0 += 1 }
            let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 16)
            bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
            return Data(
                bytesNoCopy: memory, count: bytes.count,
                deallocator: .custom { memory, _ in
                    memory.deallocate()
                    self.live.withLock { $0 -= 1 }
                })
        }
    }

    @Test func consumedPiecesOfALongBodyAreReleased() async throws {
        let fixture = try ManagerFixture()
        let pieces = Pieces()
        let load = fixture.load(.progressiveLoad, [.imageCoder: FakeProgressiveCoder()])
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        fixture.loader.send(pieces.make(FakeCoder.file() + [1]), for: fixture.url)
        #expect(await eventually { load.partials.count == 1 })
        for _ in 0..<12 { fixture.loader.send(pieces.make(Data(repeating: 2, count: 1 << 20)), for: fixture.url) }
        // The coder has consumed the pieces. The load keeps no piece for late subscribers, because the body is long.
        #expect(await eventually { pieces.liveCount == 0 })
        // A subscriber that joins late receives only the final image.
        let late = fixture.load(.progressiveLoad, [.imageCoder: FakeProgressiveCoder()])
        fixture.loader.answer(fixture.url, with: .success(FakeCoder.file() + [1]))
        #expect(await late.end()?.image != nil)
        #expect(await load.end()?.image != nil)
    }

    @Test func shortBodyIsKeptForLateSubscribers() {
        let handle = SharedTaskHandle()
        let count = Locked(0)
        let listener: StageEventListener = { if case .bytes = $0 { count.withLock { $0 += 1 } } }
        for number in 0..<8 { handle.send(.bytes(Data(count: 1 << 20), offset: number << 20)) }
        handle.addListener(listener, id: 1)
        #expect(count.withLock { $0 } == 8)
        handle.send(.bytes(Data(count: 1), offset: 8 << 20))
        #expect(count.withLock { $0 } == 9)
        handle.addListener(listener, id: 2)
        #expect(count.withLock { $0 } == 9)
    }
}
