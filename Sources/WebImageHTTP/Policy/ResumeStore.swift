import Foundation
import WebImageCore

/// Stores the partial bodies of broken downloads in a folder, so that later downloads and other processes can
/// continue them. Total size and age are limited.
///
/// Files are accessed on the store's own queue. The folder is created when the first partial body is saved.
final class ResumeStore: Sendable {
    /// The minimum size of a stored partial body. Fetching a smaller part a second time is faster than storing it.
    static let minBytes = 16 * 1024
    static let maxTotalBytes = 256 << 20
    static let maxAge: TimeInterval = 86_400

    let folder: URL
    private let queue = DispatchQueue(label: "webimage.resume")

    init(folder: URL) { self.folder = folder }

    /// Loads the partial body that is stored under `name`. Calls `then` on the store's queue, with nil if there is no
    /// usable partial body.
    ///
    /// - Parameter storage: Decides whether the loaded bytes are in memory or in an unnamed file.
    func load(_ name: String, storage: ReceivedBody.Storage, then: @escaping @Sendable (PartialBody?) -> Void) {
        queue.async { then(self.read(self.path(name), storage)) }
    }

    func save(_ partial: PartialBody, _ name: String) {
        guard partial.count >= Self.minBytes else { return }
        queue.async { self.write(partial, self.path(name)) }
    }

    func remove(_ name: String) {
        queue.async { _ = unlink(self.path(name)) }
    }

    /// Waits until all earlier operations have finished.
    func flush() { queue.sync {} }

    private func path(_ name: String) -> String { folder.path + "/" + SHA256.shortName(of: name) + ".part" }

    private static let signature = "webimage-part 3"

    private func read(_ path: String, _ storage: ReceivedBody.Storage) -> PartialBody? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maxTotalBytes,
            Date().timeIntervalSince1970 - TimeInterval(status.st_mtim.tv_sec) < Self.maxAge,
            let start = try? file.read(upToCount: Self.pieceBytes)
        else { return nil }
        let parts = start.split(separator: UInt8(ascii: "\n"), maxSplits: 6, omittingEmptySubsequences: false)
        guard parts.count == 7, String(decoding: parts[0], as: UTF8.self) == Self.signature,
            let total = Int(String(decoding: parts[3], as: UTF8.self)),
            let count = Int(String(decoding: parts[4], as: UTF8.self)), 1..<max(total, 1) ~= count,
            let body = Self.body(from: parts[6], file, storage), body.count == count
        else { return nil }
        var partial = PartialBody(
            validator: String(decoding: parts[1], as: UTF8.self), source: String(decoding: parts[2], as: UTF8.self),
            total: total, body: body)
        if !parts[5].isEmpty { partial.modified = String(decoding: parts[5], as: UTF8.self) }
        return partial
    }

    private static let pieceBytes = 256 * 1024

    /// Copies the bytes of a stored file into a new body. A later change of the file does not affect the body.
    private static func body(from start: Data, _ file: FileHandle, _ storage: ReceivedBody.Storage) -> ReceivedBody? {
        let body = ReceivedBody(storage)
        var piece = start
        while !piece.isEmpty {
            guard (try? piece.withUnsafeBytes { try body.append($0) }) != nil,
                let next = try? file.read(upToCount: pieceBytes) ?? Data()
            else { return nil }
            piece = next
        }
        return body
    }

    private func write(_ partial: PartialBody, _ path: String) {
        guard PrivateFolder.make(folder.path), let beginning = try? partial.body.data(partial.count) else { return }
        let head = """
            \(Self.signature)
            \(partial.validator)
            \(partial.source)
            \(partial.total)
            \(partial.count)
            \(partial.modified ?? "")

            """
        let temporary = path + ".\(UInt32.random(in: .min ... .max)).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(head.utf8))
            try file.write(contentsOf: beginning)
            // Synchronise before the rename. Otherwise a power loss could leave a file with the final name but
            // incomplete bytes.
            try file.synchronize()
            if rename(temporary, path) != 0 { unlink(temporary) }
        } catch {
            unlink(temporary)
        }
        trim()
    }

    /// Removes files that are too old. If the total size exceeds the limit, also removes the oldest files.
    private func trim() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var files: [(path: String, size: Int, time: Int)] = []
        for name in names where name.hasSuffix(".part") || name.hasSuffix(".tmp") {
            var status = stat()
            let path = folder.path + "/" + name
            guard lstat(path, &status) == 0 else { continue }
            files.append((path, Int(status.st_size), Int(status.st_mtim.tv_sec)))
        }
        files.sort { $0.time > $1.time }
        var total = 0
        let oldest = Int(Date().timeIntervalSince1970 - Self.maxAge)
        for file in files {
            total += file.size
            if file.time < oldest || total > Self.maxTotalBytes { unlink(file.path) }
        }
    }
}
