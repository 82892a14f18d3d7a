import Foundation

extension LinePeer {
    /// Starts a script of `peers/` with the interpreter that `./setup` created, with a file opened. Without a file, the
    /// script only reports whether its library is present.
    convenience init(_ name: String, script: String, opening file: URL? = nil) {
        self.init(
            name, [Self.python, Self.peers.appendingPathComponent(script).path],
            first: [file.map { "open " + $0.path } ?? "ready"])
    }

    /// Returns a peer that processes a picture with Pillow; see `peers/pillow.py`.
    static func pillow(_ file: URL) -> LinePeer { LinePeer("Pillow", script: "pillow.py", opening: file) }

    /// Returns a peer that processes a picture with OpenCV; see `peers/opencv.py`.
    static func openCV(_ file: URL) -> LinePeer { LinePeer("OpenCV", script: "opencv.py", opening: file) }

    /// Returns a peer that plays an animation with Qt's `QMovie`; see `peers/movie.py`.
    static func qMovie(_ file: URL) -> LinePeer { LinePeer("QMovie", script: "movie.py", opening: file) }

    /// Returns a peer for GraphicsMagick, which has its own command syntax.
    static func graphicsMagick() -> LinePeer {
        LinePeer(
            "GraphicsMagick",
            ["OMP_NUM_THREADS=1", "gm", "batch", "-feedback", "on", "-pass", "ok", "-fail", "no", "-"])
    }

    /// The result of a job of `peers/` as straight RGBA rows without padding.
    func pixels(_ job: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("peer-\(getpid())")
        defer { try? FileManager.default.removeItem(at: file) }
        try start()
        try run(job)
        try run("save " + file.path)
        return [UInt8](try Data(contentsOf: file))
    }
}
