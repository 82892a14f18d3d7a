import CMotionPeers
import Foundation
import Harness
import WebImage

/// Compares how fast competitors decode all frames of an animation in order, without keeping a frame. The competitors
/// are our library, the library of the format (the "bare" library, called directly), Pillow, gdk-pixbuf and Qt's
/// `QMovie`.
enum AnimateScenario {
    static func contests(_ folder: URL) throws -> [Contest] {
        let others = folder.deletingLastPathComponent().appendingPathComponent("sdwebimage")
        return try [
            gif(others.appendingPathComponent("1@2x.gif"), "400x400 GIF, 44 frames"),
            webP(others.appendingPathComponent("TestImageAnimated.webp"), "990x1050 WebP, 8 frames"),
            png(others.appendingPathComponent("TestImageLarge.png"), "1275x720 APNG, 4 frames"),
        ]
    }

    /// The targets as ratios of our time to the time of the competitor. We must reach 0.9 of the frame rate of the
    /// bare library, so the ratio is 1.11. We must reach twice the frame rate of every other peer, so the ratio is
    /// 0.5.
    private static let (bareTarget, peerTarget) = (1 / 0.9, 0.5)

    private static func gif(_ file: URL, _ name: String) throws -> Contest {
        let job = try Job(file)
        func bare(_ out: UnsafeMutablePointer<UInt8>?) throws {
            var count: Int32 = 0
            try job.check(peer_gif_frames(job.bytes, job.data.count, &count, out), count)
        }
        func gdk(_ out: UnsafeMutablePointer<UInt8>?) throws {
            try job.check(peer_gdk_frames(job.bytes, job.data.count, Int32(job.count), out), Int32(job.count))
        }
        let programs = [LinePeer.pillow(file), .qMovie(file)]
        return job.contest(
            name, Contest.Competitor("giflib", target: bareTarget) { try bare(nil) },
            [Contest.Competitor("gdk-pixbuf", target: peerTarget) { try gdk(nil) }], programs
        ) {
            try job.agree("\(name), giflib", bare)
            try job.agree("\(name), gdk-pixbuf", gdk)
        }
    }

    /// gdk-pixbuf does not take part, because its loader for animated WebP is not in Debian.
    private static func webP(_ file: URL, _ name: String) throws -> Contest {
        let job = try Job(file)
        func bare(_ out: UnsafeMutablePointer<UInt8>?) throws {
            var count: Int32 = 0
            try job.check(peer_webp_frames(job.bytes, job.data.count, &count, out), count)
        }
        return job.contest(
            name, Contest.Competitor("libwebp", target: bareTarget) { try bare(nil) }, [],
            [.pillow(file), .qMovie(file)]
        ) { try job.agree("\(name), libwebp", bare) }
    }

    /// libpng does not support animations, so the bare competitor decodes each frame from a separate PNG file. It does
    /// not composite the frames on a canvas. Its pixels therefore differ from ours and are not compared. `QMovie` does
    /// not take part, because Qt has no APNG reader.
    private static func png(_ file: URL, _ name: String) throws -> Contest {
        let job = try Job(file)
        let stills = APNGStills.split(job.data).map { $0 as NSData }
        guard stills.count == job.count else { throw ScenarioError.disagree("\(name): \(stills.count) stills") }
        var files = stills.map { Optional($0.bytes.assumingMemoryBound(to: UInt8.self)) }
        var lengths = stills.map(\.length)
        let bare = Contest.Competitor("libpng", target: bareTarget) {
            let status = withExtendedLifetime(stills) { peer_png_stills(&files, &lengths, Int32(stills.count)) }
            try job.check(status, Int32(stills.count))
        }
        return job.contest(name, bare, [], [.pillow(file)]) {}
    }

    /// An animation file. The functions play the file with our library and compare our last frame with that of a peer.
    private final class Job {
        /// The bytes of the file, which our library decodes.
        let file: Data
        /// The same bytes at a fixed address, which the C functions of the peers need.
        let data: NSData
        let count: Int
        private let size: PixelSize

        var bytes: UnsafePointer<UInt8> { data.bytes.assumingMemoryBound(to: UInt8.self) }

        init(_ url: URL) throws {
            file = try Data(contentsOf: url)
            data = NSData(data: file)
            let info = try ImageCodersManager.shared.imageInfo(of: file, limits: .default)
            (count, size) = (info.frameCount, info.pixelSize)
        }

        /// Returns a contest of our library, the bare library, the peers in this process (`others`), and the peers
        /// in separate processes (`programs`). Last frames are compared before the measurement. The closure `agree`
        /// compares frames of competitors in this process. The contest compares our frame with that of each program.
        func contest(
            _ name: String, _ bare: Contest.Competitor, _ others: [Contest.Competitor], _ programs: [LinePeer],
            agree: @escaping () throws -> Void
        ) -> Contest {
            let ours = Contest.Competitor("webimage") { [file, count] in _ = try Self.frames(file, count) }
            return Contest(
                name, frames: count,
                [ours, bare] + others + programs.map { $0.competitor("frames", target: peerTarget) }
            ) { [file, count] in
                try agree()
                for program in programs {
                    try ResultComparison.check(
                        ResultComparison.rgba(Self.frames(file, count)), program.pixels("frames"), within: 1,
                        "\(name), \(program.name)")
                }
            }
        }

        private static func frames(_ data: Data, _ count: Int) throws -> Image {
            guard
                let animation = try ImageCodersManager.shared.animation(of: data, options: DecodingOptions())
            else { throw ScenarioError.peerFailed }
            for index in 0..<count - 1 { _ = try animation.frame(at: index) }
            return try animation.frame(at: count - 1)
        }

        func agree(_ what: String, _ peer: (UnsafeMutablePointer<UInt8>?) throws -> Void) throws {
            var theirs = [UInt8](repeating: 0, count: size.width * size.height * 4)
            try theirs.withUnsafeMutableBufferPointer { try peer($0.baseAddress) }
            try ResultComparison.check(ResultComparison.rgba(Self.frames(file, count)), theirs, within: 1, what)
        }

        func check(_ status: Int32, _ frames: Int32) throws {
            guard status == 0, Int(frames) == count else { throw ScenarioError.peerFailed }
        }
    }
}
