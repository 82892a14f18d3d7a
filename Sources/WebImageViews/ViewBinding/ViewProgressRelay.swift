import Foundation
import WebImageCore
import WebImageLoading

/// Forwards the progress of a load from the loader's thread to the main thread. At most one block waits on the main
/// thread at a time.
final class ViewProgressRelay: Sendable {
    private struct Figures {
        var received: Int
        var expected: Int
    }

    private let newest = Locked<Figures?>(nil)
    private let deliver: @MainActor @Sendable (_ received: Int, _ expected: Int) -> Void

    init(deliver: @escaping @MainActor @Sendable (_ received: Int, _ expected: Int) -> Void) {
        self.deliver = deliver
    }

    func report(received: Int, expected: Int) {
        let isFirst = newest.withLock { figures in
            defer { figures = Figures(received: received, expected: expected) }
            return figures == nil
        }
        guard isFirst else { return }
        MainThread.run { [self] in
            let figures = newest.withLock { figures in
                defer { figures = nil }
                return figures
            }
            if let figures { deliver(figures.received, figures.expected) }
        }
    }
}
