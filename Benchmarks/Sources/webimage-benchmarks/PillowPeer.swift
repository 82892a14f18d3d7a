import Foundation

/// Pillow with a picture that it has opened; see `peers/pillow.py`.
final class PillowPeer: LinePeer {
    /// Opens a picture; throws when `./setup` has not been run.
    init(_ file: URL) throws {
        try super.init("Pillow", [Self.python, Self.peers.appendingPathComponent("pillow.py").path])
        try run("open " + file.path)
    }

    /// What a job gives, as straight RGBA rows without gaps.
    func pixels(_ job: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("pillow-\(getpid())")
        defer { try? FileManager.default.removeItem(at: file) }
        try run(job)
        try run("save " + file.path)
        return [UInt8](try Data(contentsOf: file))
    }
}
