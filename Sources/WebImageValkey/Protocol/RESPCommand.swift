package import Foundation

/// A command for a Valkey or Redis server: its words, and the node's answer that it expects.
///
/// The encoded form is a list of blocks. A long word, such as a picture, is a block of its own and is sent from the
/// memory in which it lies.
package struct RESPCommand: Sendable {
    /// The encoded bytes in order.
    package private(set) var blocks: [Data] = []
    /// The number of bytes of all blocks.
    package private(set) var byteCount = 0

    /// Words shorter than this are copied into the block before them: a further block costs more than the copy.
    private static let copiedBytes = 1024

    /// - Parameter words: the command's name and its arguments.
    package init(_ words: [Word]) {
        var head = Data("*\(words.count)\r\n".utf8)
        for word in words {
            let bytes = word.blocks
            head.append(contentsOf: Data("$\(bytes.reduce(0) { $0 + $1.count })\r\n".utf8))
            for block in bytes {
                if block.count < Self.copiedBytes {
                    head.append(block)
                } else {
                    blocks.append(head)
                    blocks.append(block)
                    head = Data()
                }
            }
            head.append(contentsOf: [13, 10])
        }
        blocks.append(head)
        byteCount = blocks.reduce(0) { $0 + $1.count }
    }

    /// One word of a command. A word of several blocks is sent as one string, without joining the blocks in memory.
    package struct Word: Sendable, ExpressibleByStringLiteral {
        let blocks: [Data]

        package init(stringLiteral value: String) { blocks = [Data(value.utf8)] }
        package init(_ text: String) { blocks = [Data(text.utf8)] }
        package init(_ number: Int) { blocks = [Data(String(number).utf8)] }
        package init(_ data: Data) { blocks = [data] }
        package init(_ blocks: [Data]) { self.blocks = blocks }
    }
}
