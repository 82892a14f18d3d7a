public import Foundation
import WebImageCore

/// A folder for one test, with a unique name in the temporary folder. The folder is removed when this object is
/// released.
public final class ScratchFolder: Sendable {
    /// The URL of the folder.
    public let url: URL

    /// Makes the folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of the folder.
    package var path: String { url.path }

    /// The paths of all files in the folder and its subfolders.
    package var files: [String] {
        (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).map { path + "/" + $0 }
            .filter {
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
            }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        Self.removed.withLock { $0.append(url) }
        _ = Self.removesAtExit
    }

    /// The folders that were removed. A cache that outlives its folder can create the folder again with a late write.
    private static let removed = Locked<[URL]>([])

    /// Registers a function that removes such folders again when the process ends. Registered once.
    private static let removesAtExit: Void = {
        atexit { for url in ScratchFolder.removed.withLock({ $0 }) { try? FileManager.default.removeItem(at: url) } }
    }()
}
