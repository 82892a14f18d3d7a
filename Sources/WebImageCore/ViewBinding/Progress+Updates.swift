public import Foundation

/// The state of a progress at one moment.
public struct ImageProgressUpdate: Sendable, Hashable {
    /// Bytes received.
    public let completedUnitCount: Int64
    /// Bytes expected; 0 when unknown.
    public let totalUnitCount: Int64
    /// The completed part, 0…1.
    public let fractionCompleted: Double

    init(_ progress: Progress) {
        completedUnitCount = progress.completedUnitCount
        totalUnitCount = progress.totalUnitCount
        fractionCompleted = progress.fractionCompleted
    }
}

/// The state of the progress of a view's loads: the current one, then one after every change that a view makes.
///
/// A slow reader receives only the newest state. The sequence ends with the task that reads it. It replaces
/// Foundation's key-value observing, which does not exist on Linux.
public struct ImageProgressUpdates: AsyncSequence, Sendable {
    /// The state at one moment.
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

    /// Sets both counts and notifies the readers.
    @MainActor func report(completed: Int64, total: Int64) {
        totalUnitCount = total
        completedUnitCount = completed
        ProgressObservers.tell(self)
    }
}

/// The readers of each progress.
private enum ProgressObservers {
    private struct Observed {
        // Held so that no other object gets its address, which is the key.
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
        // Release outside the lock.
        withExtendedLifetime(dropped) {}
    }
}
