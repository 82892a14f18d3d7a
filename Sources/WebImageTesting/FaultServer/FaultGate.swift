import Foundation
import WebImageCore

/// A gate that holds back requests until a test opens it. It makes sleeps in tests unnecessary.
public final class FaultGate: Sendable {
    private let ends: Pipe

    /// Makes a closed gate.
    public init() { ends = Pipe() }

    /// Releases the waiting requests and all later ones.
    public func open() { ends.closeWriting() }

    var descriptor: Int32 { ends.reading }

    /// A pipe; closing its writing end wakes every thread that polls the reading end.
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
