import Foundation
import WebImageCore

/// Holds requests back until a test opens it, so that tests need no sleeps.
public final class FaultGate: Sendable {
    private let ends: Pipe

    /// A closed gate.
    public init() { ends = Pipe() }

    /// Lets through who waits and who comes later.
    public func open() { ends.closeWriting() }

    var descriptor: Int32 { ends.reading }

    /// A pipe whose closed writing end wakes everybody who polls the other.
    final class Pipe: Sendable {
        let reading: Int32
        private let writing: Locked<Int32>

        init() {
            var ends: [Int32] = [-1, -1]
            if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
            reading = ends[0]
            writing = Locked(ends[1])
        }

        deinit {
            closeWriting()
            close(reading)
        }

        func closeWriting() {
            let end = writing.withLock { end in
                defer { end = -1 }
                return end
            }
            if end >= 0 { close(end) }
        }
    }
}
