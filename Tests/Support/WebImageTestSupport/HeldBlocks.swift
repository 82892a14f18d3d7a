import WebImageCore

/// Counts the blocks that something still holds. Each block captures a token of this object.
///
/// A load counts as ended before its last completion has returned. When nothing holds its block any more, the completion
/// has returned too.
package final class HeldBlocks: Sendable {
    package final class Token: Sendable {
        private let blocks: HeldBlocks

        fileprivate init(_ blocks: HeldBlocks) {
            self.blocks = blocks
            blocks.count.withLock { $0 += 1 }
        }

        deinit { blocks.count.withLock { $0 -= 1 } }
    }

    private let count = Locked(0)

    package init() {}

    package func token() -> Token { Token(self) }

    package var isEmpty: Bool { count.withLock { $0 == 0 } }
}
