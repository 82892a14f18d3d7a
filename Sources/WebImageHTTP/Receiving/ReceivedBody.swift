import Foundation
import WebImageCore

/// The received bytes of one body. They are in memory up to a limit; a longer body is moved to an unnamed
/// file.
///
/// Only one caller at a time may append. Writing to a file does not block readers. Any thread may read the
/// received bytes.
final class ReceivedBody: Sendable {
    /// The maximum number of bytes in memory, the allocator of that memory, and the folder of the files for longer
    /// bodies.
    struct Storage: Sendable {
        var maxBytesInMemory: Int
        var folder: String
        var blocks: BodyBlockPool
    }

    private struct State {
        var count = 0
        var block: BodyBlock?
        var file: UnnamedFile?
        /// Whether writing to a file failed. If true, the bytes stay in memory, without the limit `maxBytesInMemory`.
        var hasNoFile = false

        var memory: Data { block?.data(0..<count) ?? Data() }

        /// Appends bytes in memory. Returns false if no memory is available.
        mutating func keep(_ bytes: UnsafeRawBufferPointer, _ blocks: BodyBlockPool) -> Bool {
            let needed = count + bytes.count
            if needed > block?.capacity ?? 0 {
                // At least double the capacity, so that a body of unknown length is copied only a few times.
                guard let longer = blocks.block(max(needed, 2 * (block?.capacity ?? 0))) else { return false }
                if let block { longer.write(UnsafeRawBufferPointer(start: block.start, count: count), at: 0) }
                block = longer
            }
            block?.write(bytes, at: count)
            count = needed
            return true
        }
    }

    private enum Step {
        case isTaken
        /// Move the received bytes and the new bytes to a file.
        case move(Data)
        case write(UnnamedFile, at: Int)
    }

    private static let maxSetAside = 1 << 30
    private let storage: Storage
    private let state = Locked(State())

    /// - Parameter expected: The declared length in bytes. If the length is within the limit for memory, address space
    ///   for all bytes is reserved. The system provides memory only for pages that are written.
    init(_ storage: Storage, expected: Int = 0) {
        self.storage = storage
        // A server may declare a very large length. Reserve nothing if the length exceeds 1 GiB.
        guard expected > 0, expected <= min(storage.maxBytesInMemory, Self.maxSetAside) else { return }
        state.withLock { $0.block = storage.blocks.block(expected) }
    }

    var count: Int { state.withLock { $0.count } }

    /// Appends bytes in memory or in the file. If the disk is full or read-only, all bytes stay in memory.
    ///
    /// - Throws: `.fileSystem` if written bytes cannot be read back, or if neither a file nor memory is available.
    func append(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let step = state.withLock { state -> Step in
            if let file = state.file { return .write(file, at: state.count) }
            let mayStay = state.hasNoFile || state.count + bytes.count <= storage.maxBytesInMemory
            return mayStay && state.keep(bytes, storage.blocks) ? .isTaken : .move(state.memory)
        }
        switch step {
        case .isTaken: break
        case .move(let memory): try move(memory, and: bytes)
        case .write(let file, let offset):
            if file.write(bytes, at: offset) { return state.withLock { $0.count += bytes.count } }
            try moveToMemory(try file.read(0..<offset), and: bytes)
        }
    }

    private func move(_ memory: Data, and bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        if let file = UnnamedFile(in: storage.folder),
            memory.withUnsafeBytes({ file.write($0, at: 0) }) && file.write(bytes, at: memory.count)
        {
            return state.withLock { state in
                (state.file, state.block) = (file, nil)
                state.count += bytes.count
            }
        }
        let isKept = state.withLock { state in
            state.hasNoFile = true
            return state.keep(bytes, storage.blocks)
        }
        if !isKept { throw Self.noRoom }
    }

    /// Moves the bytes of a file back into memory after a write to the file failed, and appends the new bytes.
    private func moveToMemory(_ memory: Data, and bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let isKept = state.withLock { state in
            (state.file, state.count, state.hasNoFile) = (nil, 0, true)
            return memory.withUnsafeBytes { state.keep($0, storage.blocks) } && state.keep(bytes, storage.blocks)
        }
        if !isKept { throw Self.noRoom }
    }

    private static var noRoom: WebImageError {
        .posix(ENOMEM, stage: .download, url: nil, hint: "Neither memory nor a file is available for the body.")
    }

    /// Returns the bytes that were received after the first `offset` bytes; empty if there are none. For a body in a
    /// file, one call returns at most 256 KiB, so call this function repeatedly to read all bytes.
    func piece(from offset: Int) -> Data {
        let (block, file, end) = state.withLock { ($0.block, $0.file, $0.count) }
        guard offset < end else { return Data() }
        guard let file else { return block?.data(offset..<end) ?? Data() }
        return (try? file.read(offset..<min(end, offset + Self.maxPiece))) ?? Data()
    }

    private static let maxPiece = 256 * 1024

    /// Returns the first `count` received bytes, or all received bytes if `count` is nil. Bytes in a file are
    /// memory-mapped and not copied.
    ///
    /// - Throws: `.fileSystem` if the file cannot be mapped.
    func data(_ count: Int? = nil) throws(WebImageError) -> Data {
        let (block, file, all) = state.withLock { ($0.block, $0.file, $0.count) }
        let wanted = min(count ?? all, all)
        guard let file else { return block?.data(0..<wanted) ?? Data() }
        return try file.mapped(wanted)
    }
}
