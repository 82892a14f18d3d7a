public import Foundation

/// A folder of one test's own under the temporary folder, removed with it; its name is never used again.
public final class ScratchFolder: Sendable {
    /// Where it is.
    public let url: URL

    /// Makes the folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
