import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// The library releases objects that users attach to results and images outside its locks, because a `deinit` can
/// call the library.
@Suite(.timeLimit(minutes: 1))
struct ReleaseTests {
    /// A value that `tasks` stores. The `deinit` of the value calls `tasks` on another thread. If `tasks` released
    /// the value under its lock, this call would block.
    private final class Value: Sendable {
        let tasks: SharedTasks<Int, Value>
        let wasFree: Locked<Bool?>

        init(_ tasks: SharedTasks<Int, Value>, _ wasFree: Locked<Bool?>) {
            (self.tasks, self.wasFree) = (tasks, wasFree)
        }

        deinit {
            let (tasks, done) = (tasks, DispatchSemaphore(value: 0))
            DispatchQueue.global().async {
                _ = tasks.count
                done.signal()
            }
            let isFree = done.wait(timeout: .now() + 20) == .success
            wasFree.withLock { $0 = isFree }
        }
    }

    @Test func sharedValueIsReleasedOutsideTheLock() async throws {
        let tasks = SharedTasks<Int, Value>()
        let wasFree = Locked<Bool?>(nil)
        _ = try await tasks.withValue(
            for: 1, priority: LoadPriorityHandle(), work: { _ in Value(tasks, wasFree) }, body: { _ in 0 })
        #expect(await eventually { wasFree.withLock { $0 } != nil })
        #expect(wasFree.withLock { $0 } == true)
        #expect(tasks.count == 0)
    }

    @Test func sweptImagesAreReleasedByTheCaller() throws {
        var weak = WeakImageTable()
        var images: [Image] = []
        var given: [Image] = []
        for number in 0..<64 {
            let image = try TestImages.solid()
            images.append(image)
            given += weak.put(image, "\(number)", cost: 1)
        }
        #expect(given.count == 64)
        images.removeAll()
        given.removeAll()
        #expect(weak.take("1") == nil)
    }
}
