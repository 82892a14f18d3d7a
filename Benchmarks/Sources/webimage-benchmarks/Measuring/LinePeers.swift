import Foundation

extension LinePeer {
    /// Creates a peer that runs a script of `peers/` with the Python interpreter that `./setup` created. After the
    /// start, the peer sends `open FILE`. If there is no file, the peer sends `ready`. The answer to `ready` only shows
    /// that the script could import its libraries.
    convenience init(_ name: String, script: String, opening file: URL? = nil) {
        self.init(
            name, [Self.python, Self.peers.appendingPathComponent(script).path],
            first: [file.map { "open " + $0.path } ?? "ready"])
    }

    /// Returns a peer that processes a picture with Pillow; see `peers/pillow.py`.
    static func pillow(_ file: URL) -> LinePeer { LinePeer("Pillow", script: "pillow.py", opening: file) }

    /// Returns a peer that processes a picture with OpenCV; see `peers/opencv.py`.
    static func openCV(_ file: URL) -> LinePeer { LinePeer("OpenCV", script: "opencv.py", opening: file) }

    /// Returns a peer that decodes a JPEG with imagecodecs; see `peers/codecs.py`.
    static func imagecodecs(_ file: URL) -> LinePeer { LinePeer("imagecodecs", script: "codecs.py", opening: file) }

    /// Returns a peer that plays an animation with Qt's `QMovie`; see `peers/movie.py`.
    static func qMovie(_ file: URL) -> LinePeer { LinePeer("QMovie", script: "movie.py", opening: file) }

    /// Returns a peer that runs `gm batch`. The jobs are GraphicsMagick commands. With `-pass ok` and `-fail no`, the
    /// program sends the answers that ``LinePeer`` expects.
    static func graphicsMagick() -> LinePeer {
        LinePeer(
            "GraphicsMagick",
            ["OMP_NUM_THREADS=1", "gm", "batch", "-feedback", "on", "-pass", "ok", "-fail", "no", "-"])
    }

    /// Sends a job to a script of `peers/`. The script saves the result to a file. Returns this result as RGBA rows
    /// with straight alpha and without padding.
    func pixels(_ job: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("peer-\(getpid())")
        defer { try? FileManager.default.removeItem(at: file) }
        try start()
        try run(job)
        try run("save " + file.path)
        return [UInt8](try Data(contentsOf: file))
    }
}
