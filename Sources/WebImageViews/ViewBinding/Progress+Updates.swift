public import Foundation
import WebImageCore

/// The state of a progress at one moment.
public struct ImageProgressUpdate: Sendable, Hashable {
    /// The number of bytes received.
    public let completedUnitCount: Int64
    /// The number of bytes expected; -1 if unknown.
    public let totalUnitCount: Int64
    /// The completed part, 0…1.
    public let fractionCompleted: Double

    init(_ progress: Progress) {
        completedUnitCount = progress.completedUnitCount
        totalUnitCount = progress.totalUnitCount
        fractionCompleted = progress.fractionCompleted
    }
}

/// The states of the progress of a view's loads. The sequence begins with the current state. Each time a view changes
/// the progress, the sequence delivers the new state.
///
/// A slow reader receives only the newest state. The sequence ends when the task that reads it is cancelled. The
/// sequence replaces key-value observing, which Foundation does not have on Linux.
public struct ImageProgressUpdates: AsyncSequence, Sendable {
    /// One state of the progress.
    public typealias Element = ImageProgressUpdate
    private let stream: AsyncStream<ImageProgressUpdate>

    init(_ progress: Progress) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ImageProgressUpdate.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        ProgressObservers.add(continuation, to: progress)
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> AsyncStream<ImageProgressUpdate>.Iterator { stream.makeAsyncIterator() }
}

extension Progress {
    /// The changes that views make to this object; see ``ImageProgressUpdates``.
    public var updates: ImageProgressUpdates { ImageProgressUpdates(self) }

    /// The total while the number of bytes is unknown. With 0, a progress would be finished at its first byte.
    static let unknownTotal: Int64 = -1

    /// Sets both counts and notifies the readers. A total that is not positive means that the total is unknown.
    @MainActor func report(completed: Int64, total: Int64) {
        let total = total > 0 ? total : Self.unknownTotal
        if totalUnitCount > 0, totalUnitCount != total {
            // If a positive total changes, Foundation on Linux multiplies the fraction of the children by the quotient
            // of both totals. A change to 0 stops the program, and a change to a negative total leaves a fraction with
            // the wrong sign. Two changes to -1 leave the fraction as it was.
            completedUnitCount = 0
            for step in [Self.unknownTotal, 1, Self.unknownTotal] { totalUnitCount = step }
        }
        totalUnitCount = total
        completedUnitCount = completed
        ProgressObservers.tell(self)
    }
}

/// The readers of each progress.
private enum ProgressObservers {
    private struct Observed {
        // This is a strong reference because the key is the object's address. While the object exists, no other object
        // can have the same address.
        let progress: Progress
        var continuations: [UInt: AsyncStream<ImageProgressUpdate>.Continuation] = [:]
    }

    private static let observed = Locked<[ObjectIdentifier: Observed]>([:])
    private static let numbers = Locked<UInt>(0)

    static func add(_ continuation: AsyncStream<ImageProgressUpdate>.Continuation, to progress: Progress) {
        let key = ObjectIdentifier(progress)
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        observed.withLock { $0[key, default: Observed(progress: progress)].continuations[number] = continuation }
        continuation.onTermination = { _ in remove(number, key) }
        continuation.yield(ImageProgressUpdate(progress))
    }

    static func tell(_ progress: Progress) {
        let listeners = observed.withLock { $0[ObjectIdentifier(progress)]?.continuations.values.map { $0 } ?? [] }
        guard !listeners.isEmpty else { return }
        let update = ImageProgressUpdate(progress)
        for listener in listeners { listener.yield(update) }
    }

    private static func remove(_ number: UInt, _ key: ObjectIdentifier) {
        let dropped = observed.withLock { observed -> Observed? in
            observed[key]?.continuations[number] = nil
            guard let entry = observed[key], entry.continuations.isEmpty else { return nil }
            return observed.removeValue(forKey: key)
        }
        // Release the progress outside the lock.
        withExtendedLifetime(dropped) {}
    }
}

/// Forwards the progress of a load from the loader's thread to the main thread. At most one block waits on the main
/// thread at a time.
final class ViewProgressRelay: Sendable {
    private struct Figures {
        var received: Int
        var expected: Int
    }

    private let flush = Locked(PendingFlush<Figures>())
    private let deliver: @MainActor @Sendable (_ received: Int, _ expected: Int) -> Void

    init(deliver: @escaping @MainActor @Sendable (_ received: Int, _ expected: Int) -> Void) {
        self.deliver = deliver
    }

    func report(received: Int, expected: Int) {
        let figures = Figures(received: received, expected: expected)
        guard flush.withLock({ $0.replace(with: figures) }) else { return }
        MainThread.run { [self] in
            for figures in flush.withLock({ $0.takeAll() }) { deliver(figures.received, figures.expected) }
        }
    }
}
