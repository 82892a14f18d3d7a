import Foundation

/// Reads the values in a stream of bytes. A pure value without input or output.
///
/// The caller copies received bytes to the memory of ``withSpace(_:)`` and then takes values with ``next()``. The rest
/// of a bulk string is received directly into the memory of its `Data`, so that a long one is copied only once, by the
/// kernel. Short ones are received together.
package struct RESPParser {
    /// An array whose elements are still arriving.
    private struct OpenArray {
        enum Kind { case array, push, attribute }
        var kind: Kind
        var missing: Int
        var elements: [RESPValue]
    }

    /// The memory of a bulk string that is still arriving: the bytes and the line end behind them.
    private final class Bulk {
        let size: Int
        let memory: UnsafeMutableRawPointer
        var filled = 0
        private let source: BulkMemory
        private var isHandedOver = false

        init(size: Int, from source: BulkMemory) throws(RESPViolation) {
            guard let memory = source.memory(for: size + 2) else {
                throw RESPViolation(description: "no memory for \(size) bytes")
            }
            self.size = size
            self.memory = memory
            self.source = source
        }

        deinit { if !isHandedOver { source.release(memory, of: size + 2) } }

        /// The number of bytes that have not arrived.
        var missing: Int { size + 2 - filled }

        /// Gives the memory to a `Data`, which gives it back.
        func takeData() throws(RESPViolation) -> Data {
            let end = memory + size
            guard end.load(as: UInt8.self) == 13, (end + 1).load(as: UInt8.self) == 10 else {
                throw RESPViolation(description: "a bulk string does not end with a line end")
            }
            isHandedOver = true
            return Data(
                bytesNoCopy: memory, count: size,
                deallocator: .custom { [source, size] memory, _ in source.release(memory, of: size + 2) })
        }
    }

    /// The size of the memory for received bytes, besides that for a line: about twelve pictures of 20 KB in one call of
    /// the system.
    private static let bufferBytes = 256 << 10
    /// The size of a bulk string from which few bytes behind it are received with it: they would be copied once more, which
    /// costs more than a further call of the system.
    private static let longBytes = 64 << 10
    /// The bytes that are received behind a long bulk string: the first line of the next answer.
    private static let bytesAfterLong = 4096

    private let limits: RESPLimits
    /// Received bytes. The parser has read the bytes before `position`.
    private var buffer: [UInt8]
    private var position = 0
    private var filled = 0
    /// The position up to which the current line was searched for its end.
    private var searched = 0
    private var open: [OpenArray] = []
    private var valueCount = 0
    private var bulk: Bulk?
    /// The size of the last bulk string.
    private var lastSize = 0
    private let memory = BulkMemory()

    package init(limits: RESPLimits = RESPLimits()) {
        self.limits = limits
        // A line and the start of the next fit.
        buffer = [UInt8](repeating: 0, count: limits.lineBytes + Self.bufferBytes)
    }

    /// Passes memory for received bytes to `receive`, which returns the number of bytes that it wrote, at least 0. Bytes must
    /// fill the first part, the memory of a bulk string, before the second. Either part may be empty, also both: then values
    /// must be taken first.
    mutating func withSpace(
        _ receive: (_ first: UnsafeMutableRawBufferPointer, _ second: UnsafeMutableRawBufferPointer) -> Int
    ) {
        if position > 0 {
            buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                memmove(base, base + position, filled - position)
            }
            (filled, searched, position) = (filled - position, max(searched - position, 0), 0)
        }
        // Bytes in the buffer belong to the bulk string, and are copied to it first.
        let bulk = filled == 0 ? bulk : nil
        let missing = bulk?.missing ?? 0
        let direct = UnsafeMutableRawBufferPointer(
            start: bulk.map { $0.memory + $0.filled }, count: missing)
        let start = filled
        let end = lastSize < Self.longBytes ? buffer.count : min(start + Self.bytesAfterLong, buffer.count)
        let count = buffer.withUnsafeMutableBytes {
            min(receive(direct, UnsafeMutableRawBufferPointer(rebasing: $0[start..<end])), missing + end - start)
        }
        bulk?.filled += min(count, missing)
        filled += max(count - missing, 0)
    }

    /// Adds received bytes. For tests; connections use ``withSpace(_:)``. Returns the number of bytes that were added:
    /// fewer than passed if the parser's memory is full until values are taken.
    package mutating func append(_ bytes: some Collection<UInt8>) -> Int {
        var added = 0
        withSpace { first, second in
            first.copyBytes(from: bytes.prefix(first.count))
            let rest = bytes.dropFirst(first.count).prefix(second.count)
            second.copyBytes(from: rest)
            added = min(first.count, bytes.count) + rest.count
            return added
        }
        return added
    }

    /// Returns the next complete value; nil if its bytes have not all arrived.
    package mutating func next() throws(RESPViolation) -> RESPValue? {
        while true {
            guard var value = try nextScalarOrStart() else { return nil }
            // Add the value to the innermost array. A value that completes an array is followed by that array.
            while true {
                guard case .some(let scalar) = value else { break }
                guard var array = open.popLast() else {
                    valueCount = 0
                    return scalar
                }
                array.elements.append(scalar)
                array.missing -= 1
                if array.missing > 0 {
                    open.append(array)
                    break
                }
                value = completed(array)
            }
        }
    }

    /// Returns the value of a complete array; nil for an attribute, which describes the next value and is ignored.
    private func completed(_ array: OpenArray) -> RESPValue? {
        switch array.kind {
        case .array: .array(array.elements)
        case .push: .push(array.elements)
        case .attribute: nil
        }
    }

    /// Reads the next line or the next part of a bulk string. Returns nil if bytes are missing, `.some(nil)` if an
    /// array has begun, and otherwise a value.
    private mutating func nextScalarOrStart() throws(RESPViolation) -> RESPValue?? {
        if let bulk { return try finish(bulk).map { .some($0) } }
        guard let line = try takeLine() else { return nil }
        valueCount += 1
        guard valueCount <= limits.values else { throw violation("more than \(limits.values) values in an answer") }
        guard let kind = line.first else { throw violation("an empty line") }
        let rest = line.dropFirst()
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "("):
            return .some(.text(String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: "-"): return .some(.error(String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: ":"): return .some(.integer(try number(rest)))
        case UInt8(ascii: "#"): return .some(.integer(rest.first == UInt8(ascii: "t") ? 1 : 0))
        case UInt8(ascii: "_"): return .some(.null)
        case UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "!"): return try startBulk(size: number(rest))
        case UInt8(ascii: "*"), UInt8(ascii: "~"): return try start(.array, count: number(rest))
        case UInt8(ascii: "%"): return try start(.array, count: doubled(number(rest)))
        case UInt8(ascii: ">"): return try start(.push, count: number(rest))
        case UInt8(ascii: "|"): return try start(.attribute, count: doubled(number(rest)))
        default: throw violation("an unknown type \(kind)")
        }
    }

    private mutating func startBulk(size: Int) throws(RESPViolation) -> RESPValue?? {
        if size == -1 { return .some(.null) }
        guard size >= 0, size <= limits.bulkBytes else { throw violation("a bulk string of \(size) bytes") }
        let bulk = try Bulk(size: size, from: memory)
        self.bulk = bulk
        lastSize = size
        return try finish(bulk).map { .some($0) }
    }

    /// Copies the received bytes of a bulk string, and returns its value if it is complete.
    private mutating func finish(_ bulk: Bulk) throws(RESPViolation) -> RESPValue? {
        let count = min(filled - position, bulk.missing)
        if count > 0 {
            buffer.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                memcpy(bulk.memory + bulk.filled, base + position, count)
            }
            bulk.filled += count
            position += count
            searched = position
        }
        guard bulk.missing == 0 else { return nil }
        self.bulk = nil
        return .bulk(try bulk.takeData())
    }

    private mutating func start(_ kind: OpenArray.Kind, count: Int) throws(RESPViolation) -> RESPValue?? {
        if count == -1 { return .some(.null) }
        guard count >= 0, count <= limits.elements else { throw violation("an array of \(count) elements") }
        let array = OpenArray(kind: kind, missing: count, elements: [])
        if count == 0 { return .some(completed(array)) }
        guard open.count < limits.depth else { throw violation("arrays deeper than \(limits.depth)") }
        open.append(array)
        return .some(nil)
    }

    /// Removes and returns the next line without its end; nil if the end has not arrived.
    private mutating func takeLine() throws(RESPViolation) -> ArraySlice<UInt8>? {
        var end = max(searched, position)
        while end + 1 < filled {
            if buffer[end] == 13, buffer[end + 1] == 10 {
                let line = buffer[position..<end]
                guard line.count <= limits.lineBytes else { break }
                position = end + 2
                searched = position
                return line
            }
            end += 1
        }
        searched = end
        guard filled - position <= limits.lineBytes else { throw violation("a line over \(limits.lineBytes) bytes") }
        return nil
    }

    private func number(_ digits: ArraySlice<UInt8>) throws(RESPViolation) -> Int {
        guard digits.count <= 20, let number = Int(String(decoding: digits, as: UTF8.self)) else {
            throw violation("a number that is none")
        }
        return number
    }

    /// The number of elements of a map with `count` pairs.
    private func doubled(_ count: Int) throws(RESPViolation) -> Int {
        guard count >= 0, count <= limits.elements / 2 else { throw violation("a map of \(count) pairs") }
        return count * 2
    }

    private func violation(_ text: String) -> RESPViolation { RESPViolation(description: text) }
}
