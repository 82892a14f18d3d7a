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

    /// Data shorter than this is copied into the block before it: a further block costs more than the copy.
    private static let copiedBytes = 1024

    /// - Parameter words: the command's name and its arguments.
    package init(_ words: [Word]) {
        var head: [UInt8] = []
        head.reserveCapacity(256)
        head.append(prefix: "*", number: words.count)
        for word in words {
            head.append(prefix: "$", number: word.byteCount)
            switch word.content {
            case .text(let text): head.append(contentsOf: text.utf8)
            case .blocks(let parts):
                for part in parts {
                    if part.count < Self.copiedBytes {
                        head.append(contentsOf: part)
                    } else {
                        blocks.append(Data(head))
                        blocks.append(part)
                        head.removeAll(keepingCapacity: true)
                    }
                }
            }
            head.appendLineEnd()
        }
        blocks.append(Data(head))
        byteCount = blocks.reduce(0) { $0 + $1.count }
    }

    /// One word of a command. A word of several blocks is sent as one string, without joining the blocks in memory.
    package struct Word: Sendable, ExpressibleByStringLiteral {
        fileprivate enum Content: Sendable {
            case text(String)
            case blocks([Data])
        }

        fileprivate let content: Content

        package init(stringLiteral value: String) { content = .text(value) }
        package init(_ text: String) { content = .text(text) }
        package init(_ number: Int) { content = .text(String(number)) }
        package init(_ data: Data) { content = .blocks([data]) }
        package init(_ blocks: [Data]) { content = .blocks(blocks) }

        fileprivate var byteCount: Int {
            switch content {
            case .text(let text): text.utf8.count
            case .blocks(let blocks): blocks.reduce(0) { $0 + $1.count }
            }
        }
    }
}

extension [UInt8] {
    /// Appends the line that announces words or bytes.
    fileprivate mutating func append(prefix: Unicode.Scalar, number: Int) {
        append(UInt8(ascii: prefix))
        append(contentsOf: String(number).utf8)
        appendLineEnd()
    }

    fileprivate mutating func appendLineEnd() {
        append(13)
        append(10)
    }
}
