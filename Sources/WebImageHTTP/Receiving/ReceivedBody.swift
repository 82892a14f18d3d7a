import Foundation
import WebImageCore

/// The bytes of one body so far: in memory while they are few, then in a file without a name.
///
/// One caller at a time appends, without a lock held while it writes; anybody may read what has come.
final class ReceivedBody: Sendable {
    /// How many bytes stay in memory, and the folder of the files that take more.
    struct Room: Sendable {
        var maxBytesInMemory: Int
        var folder: String
    }

    private struct State {
        var count = 0
        var memory = Data()
        var file: UnnamedFile?
        /// Whether there is no file to be had, so that the body's own limit is the only one.
        var hasNoFile = false

        mutating func keep(_ bytes: UnsafeRawBufferPointer) {
            memory.append(contentsOf: bytes)
            count += bytes.count
        }
    }

    private enum Step {
        case isTaken
        /// These are the bytes so far; they and the next go to a file.
        case move(Data)
        case write(UnnamedFile, at: Int)
    }

    private let room: Room
    private let state = Locked(State())

    /// - Parameter expected: Bytes that may come. Room is set aside for as many as stay in memory; it costs nothing
    ///   before they come.
    init(_ room: Room, expected: Int = 0) {
        self.room = room
        state.withLock { $0.memory.reserveCapacity(expected > room.maxBytesInMemory ? 0 : max(expected, 0)) }
    }

    var count: Int { state.withLock { $0.count } }

    /// Adds bytes; on a full or read-only disk they stay in memory.
    ///
    /// - Throws: `.fileSystem` when what was written cannot be read back.
    func append(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let step = state.withLock { state -> Step in
            if let file = state.file { return .write(file, at: state.count) }
            guard state.hasNoFile || state.memory.count + bytes.count <= room.maxBytesInMemory else {
                return .move(state.memory)
            }
            state.keep(bytes)
            return .isTaken
        }
        switch step {
        case .isTaken: break
        case .move(let memory):
            let file = UnnamedFile(in: room.folder)
            let isWritten =
                file.map { file in
                    memory.withUnsafeBytes { file.write($0, at: 0) } && file.write(bytes, at: memory.count)
                } ?? false
            state.withLock { state in
                guard isWritten else {
                    state.hasNoFile = true
                    return state.keep(bytes)
                }
                (state.file, state.memory) = (file, Data())
                state.count += bytes.count
            }
        case .write(let file, let offset):
            if file.write(bytes, at: offset) { return state.withLock { $0.count += bytes.count } }
            let memory = try file.read(0..<offset)
            state.withLock { state in
                (state.file, state.memory, state.hasNoFile) = (nil, memory, true)
                state.keep(bytes)
            }
        }
    }

    /// Some of the bytes from an offset on, none at the end; bounded, so that a reader who is late takes several.
    func piece(from offset: Int) -> Data {
        let (memory, file, end) = state.withLock { state in
            (state.file == nil ? Data(state.memory.dropFirst(offset)) : nil, state.file, state.count)
        }
        if let memory { return memory }
        return (try? file?.read(offset..<min(end, offset + Self.maxPiece))) ?? Data()
    }

    private static let maxPiece = 256 * 1024

    /// The first bytes; of a file they are mapped, not read.
    ///
    /// - Throws: `.fileSystem` when the file cannot be mapped.
    func data(_ count: Int? = nil) throws(WebImageError) -> Data {
        let (memory, file, all) = state.withLock { ($0.memory, $0.file, $0.count) }
        guard let file else { return count.map { memory.prefix($0) } ?? memory }
        return try file.mapped(min(count ?? all, all))
    }
}
