import Foundation
import WebImageCore
import WebImageLoading

/// Imports a folder of SDWebImage. The file names in this folder contain only the MD5 of the keys, not the keys. Each
/// imported file therefore has a provisional key until a load requests the file by its real key.
extension DiskStore {
    func importFiles(from source: String) -> Int {
        let names = FileTree.names(in: source).filter(OriginalLayout.isFileName)
        guard !names.isEmpty, markImported() else { return 0 }
        var imported = 0
        var waiting: [(file: String, key: KeyHash)] = []
        func settle() {
            flush()
            // Remove a file only after its bytes were committed. Otherwise a crash could lose the bytes.
            for (file, key) in waiting where contains(key) && unlink(file) == 0 { imported += 1 }
            waiting = []
        }
        for name in names {
            let file = source + "/" + name
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                case .data(let data) = FileTree.read(file, size: Int(status.st_size))
            else { continue }
            let key = OriginalLayout.provisionalKey(name)
            enqueue(data, forKey: key, record: .legacy)
            waiting.append((file, KeyHash(key)))
            if waiting.count >= 256 || state.withLock({ $0.pending.byteCount > Self.pendingLimit / 2 }) { settle() }
        }
        settle()
        // If the folder still contains files, `rmdir` fails and the folder stays, as documented.
        rmdir(source)
        return imported
    }

    /// Returns the imported entry for a real key, and stores the entry under this key instead of its provisional key.
    /// Nil if there is no such entry.
    func adopt(_ key: String) -> EncodedResource? {
        guard hasImports else { return nil }
        for provisional in OriginalLayout.provisionalKeys(of: key) {
            guard let data = stored(KeyHash(provisional))?.data else { continue }
            enqueue(data, forKey: key, record: .legacy)
            enqueue(nil, forKey: provisional)
            var resource = EncodedResource(data: data)
            resource.record = .legacy
            return resource
        }
        return nil
    }

    func containsImport(_ key: String) -> Bool {
        hasImports && OriginalLayout.provisionalKeys(of: key).contains { contains(KeyHash($0)) }
    }

    func forgetImport(_ key: String) {
        guard hasImports else { return }
        for provisional in OriginalLayout.provisionalKeys(of: key) { enqueue(nil, forKey: provisional) }
    }

    private var hasImports: Bool { state.withLock { $0.hasImports } }

    private func markImported() -> Bool {
        guard let folder = writer.withLock({ $0?.folder }) else { return false }
        let file = open(folder.importedMark, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        Glibc.close(file)
        state.withLock { $0.hasImports = true }
        return true
    }
}
