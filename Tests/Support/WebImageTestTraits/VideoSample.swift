package import Foundation

/// Videos that the command `ffmpeg` writes, and what it reads from them.
package struct VideoSample: Sendable, Hashable, CustomStringConvertible {
    /// The name of the container, as its extension.
    package var container: String
    /// The arguments of the encoder.
    package var encoder: [String]
    /// The picture, as a source of libavfilter.
    package var source: String

    package init(_ container: String, _ encoder: String, source: String = VideoSample.pattern) {
        self.container = container
        self.encoder = encoder.split(separator: " ").map(String.init)
        self.source = source
    }

    package var description: String { container + " " + encoder.joined(separator: " ") }

    /// 50 frames of two seconds with sharp edges in all colours.
    package static let pattern = "testsrc2=size=176x144:rate=25:duration=2"

    /// A video of one colour.
    package static func color(_ text: String, size: String = "64x48", seconds: Double = 1) -> String {
        "color=\(text):size=\(size):rate=25:duration=\(seconds)"
    }

    /// A video for each usual decoder.
    package static let ofDecoders = [
        VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"),
        VideoSample("mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le"),
        VideoSample("webm", "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M"),
        VideoSample("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 1M"),
        VideoSample("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 1M -pix_fmt yuva420p"),
        VideoSample("mp4", "-c:v libsvtav1 -preset 10"), VideoSample("avi", "-c:v mpeg4 -q:v 3"),
        VideoSample("ts", "-c:v mpeg2video -q:v 3"), VideoSample("ogv", "-c:v libtheora -q:v 5"),
        VideoSample("mov", "-c:v prores -profile:v 0"), VideoSample("mov", "-c:v mjpeg -pix_fmt yuvj422p"),
    ]

    /// Whether the command is there. The tests with videos are skipped without it: `Scripts/setup test` installs it.
    package static let isThere: Bool = (try? run(["-version"])) != nil

    /// Runs the command and returns what it writes to its output.
    @discardableResult
    package static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["LC_ALL=C", "ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        return data
    }

    /// The file, which is written once in a run of the tests.
    package var data: Data {
        get throws {
            try Self.lock.withLock {
                if let known = Self.files[self] { return known }
                let file = FileManager.default.temporaryDirectory
                    .appendingPathComponent("video-\(UUID().uuidString).\(container)")
                defer { try? FileManager.default.removeItem(at: file) }
                try Self.run(
                    ["-f", "lavfi", "-i", source, "-threads", "1", "-bitexact"] + encoder + [file.path])
                let data = try Data(contentsOf: file)
                Self.files[self] = data
                return data
            }
        }
    }

    private static let lock = NSLock()
    // Protected by `lock`.
    nonisolated(unsafe) private static var files: [VideoSample: Data] = [:]

    /// The pixels of the first frame as the command decodes it, turned and with square pixels if `filters` say so.
    package static func frame(
        of data: Data, container: String, filters: String, layout: String = "rgba", before: [String] = []
    ) throws -> Data {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("video-\(UUID().uuidString).\(container)")
        defer { try? FileManager.default.removeItem(at: file) }
        try data.write(to: file)
        return try run(
            before + ["-i", file.path, "-frames:v", "1", "-vf", filters, "-f", "rawvideo", "-pix_fmt", layout, "-"])
    }
}
