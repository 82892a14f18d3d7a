import Foundation

/// The bytes that a connection has not sent yet. A pure value without input or output.
///
/// Short blocks are joined, so that the commands of many callers need one block. A long block, such as a picture, is sent
/// from the memory in which it lies.
struct UnsentBlocks {
    /// Blocks with fewer bytes are copied to the end of the short block before them.
    private static let joinedBytes = 4096
    /// The size in bytes from which a block is not extended.
    private static let longestJoin = 64 << 10
    /// The memory of a new short block in bytes.
    private static let firstJoin = 256
    /// The most blocks of one call: ``withFirst(_:)`` nests one call for each.
    private static let most = 64

    private var blocks: [Data] = []
    /// The number of bytes of the first block that were sent.
    private var sentOfFirst = 0
    /// Whether the last block may be extended. A long block may not: that would copy it.
    private var extendsLast = false

    var isEmpty: Bool { blocks.isEmpty }

    mutating func append(_ added: [Data]) {
        for block in added {
            let isShort = block.count < Self.joinedBytes
            if isShort, extendsLast, let last = blocks.last?.count, last < Self.longestJoin {
                blocks[blocks.count - 1].append(block)
            } else if isShort {
                // `Data` keeps a few bytes in itself, where they have no address of their own.
                var joined = Data(capacity: Self.firstJoin)
                joined.append(block)
                blocks.append(joined)
            } else {
                blocks.append(block)
            }
            extendsLast = isShort
        }
    }

    /// Keeps the first block where it is until it is sent. TLS repeats a write that was not possible from the same memory
    /// only: OpenSSL otherwise reports a bad retry (`SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER`, which libcurl does not set).
    mutating func holdFirst() {
        if blocks.count == 1 { extendsLast = false }
    }

    /// Passes the first bytes to `send`, in as many parts as blocks.
    func withFirst<Value>(_ send: ([UnsafeRawBufferPointer]) -> Value) -> Value {
        var parts: [UnsafeRawBufferPointer] = []
        return withParts(blocks.indices.prefix(Self.most), of: &parts, send)
    }

    private func withParts<Value>(
        _ rest: Range<Int>, of parts: inout [UnsafeRawBufferPointer], _ send: ([UnsafeRawBufferPointer]) -> Value
    ) -> Value {
        guard let index = rest.first else { return send(parts) }
        return blocks[index].withUnsafeBytes { bytes in
            parts.append(UnsafeRawBufferPointer(rebasing: index == 0 ? bytes.dropFirst(sentOfFirst) : bytes[...]))
            return withParts(rest.dropFirst(), of: &parts, send)
        }
    }

    /// Removes the first bytes, which were sent.
    mutating func removeFirst(_ count: Int) {
        sentOfFirst += count
        var whole = 0
        while whole < blocks.count, sentOfFirst >= blocks[whole].count {
            sentOfFirst -= blocks[whole].count
            whole += 1
        }
        blocks.removeFirst(whole)
    }
}
