public import Foundation

/// A test's own folder in the temporary folder, removed when released; its name is unique.
public final class ScratchFolder: Sendable {
    /// The URL of the folder.
    public let url: URL

    /// Makes the folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
