import Foundation
import WebImageCore

/// A gate that delays the answers to requests until a test opens it. Tests that use a gate need no sleeps.
public final class FaultGate: Sendable {
    private let ends: Pipe

    /// Makes a closed gate.
    public init() { ends = Pipe() }

    /// Opens the gate for the waiting requests and for all later requests.
    public func open() { ends.closeWriting() }

    var descriptor: Int32 { ends.reading }

    /// A pipe. When its writing end is closed, every thread that polls its reading end wakes.
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
