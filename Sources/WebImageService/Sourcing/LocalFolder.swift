import Dispatch
import Foundation
import WebImageCore

/// Opens files below a folder and never outside the folder. No symbolic link is followed, even if another process
/// changes the folder at the same time.
final class LocalFolder: Sendable {
    private let descriptor: Int32
    // Reading a file blocks a thread. Use serial queues, because they have their own threads. Concurrent queues share
    // the threads of the cooperative pool.
    private let queues = (0..<4).map { DispatchQueue(label: "webimage.service.files.\($0)") }
    private let turn = Locked(0)

    /// Opens the folder. Blocks.
    init(path: String) throws(ConfigurationError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ConfigurationError("root", "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens a regular file by its path below the folder, one component at a time. Blocks.
    func open(_ path: String) throws(WebImageError) -> ServiceFile {
        var parts = path.split(separator: "/").map(String.init)
        guard let name = parts.popLast(), !(parts + [name]).contains(where: { $0 == "." || $0 == ".." }) else {
            throw .posix(ENOENT, stage: .download)
        }
        var folder = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        defer { close(folder) }
        for part in parts {
            let next = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw .posix(errno, stage: .download) }
            close(folder)
            folder = next
        }
        return try ServiceFile(name: name, in: folder)
    }

    /// Identifies the current content of a file; nil if there is no such file. Opens the file on one of the queues of
    /// this object.
    func version(_ path: String) async -> String? { await run { try? self.open(path).version } }

    /// The names of at most 48 pictures in the folder itself, sorted. A picture is recognised by the ending of its name.
    /// Reads at most 2,000 names of a large folder.
    func pictureNames() async -> [String] {
        await run {
            let own = openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard own >= 0 else { return [] }
            guard let folder = fdopendir(own) else {
                close(own)
                return []
            }
            defer { closedir(folder) }
            var names: [String] = []
            for _ in 0..<2_000 {
                guard let entry = readdir(folder) else { break }
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
                }
                guard let name, !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { continue }
                let ending = String(name[name.index(after: dot)...])
                if ImageFormat(fileExtension: ending) != .undefined { names.append(name) }
            }
            return Array(names.sorted().prefix(48))
        }
    }

    /// Reads a file on one of the queues of this object.
    ///
    /// - Parameter version: The expected version of the file.
    func source(
        _ path: String, version: String?, rules: StoredRules, now: TimeInterval
    ) async throws(WebImageError) -> Source {
        let outcome: Result<Source, WebImageError> = await run {
            Result { () throws(WebImageError) in
                let file = try self.open(path)
                let maxBytes = rules.output.decoding.maxEncodedBytes
                guard file.byteCount <= maxBytes else {
                    throw .limit(.encodedBytes, actual: file.byteCount, allowed: maxBytes, stage: .download)
                }
                guard file.byteCount > 0 else { throw .badData("file", "the data is empty") }
                let data = file.bytes(in: 0..<file.byteCount)
                let record = SourceRecord.local(data, now: now)
                var lifetime = rules.lifetime(record)
                // If the file changed before or while it was read, the bytes do not belong to the expected version. A
                // result made from them is sent but not stored.
                if file.version != version { (lifetime.maxAge, lifetime.isShared) = (0, false) }
                return Source(data: data, record: record, lifetime: lifetime)
            }
        }
        return try outcome.get()
    }

    private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let index = turn.withLock { turn in
            turn = (turn + 1) % queues.count
            return turn
        }
        return await withValueContinuation { continuation in
            queues[index].async { continuation.resume(returning: work()) }
        }
    }
}
