import CMotionPeers
import Foundation
import Harness
import WebImage

/// All frames of an animation, in order, none kept: ours beside the bare library, Pillow and gdk-pixbuf.
enum AnimateScenario {
    static func contests(_ folder: URL) throws -> [Contest] {
        let others = folder.deletingLastPathComponent().appendingPathComponent("sdwebimage")
        return try gif(others.appendingPathComponent("1@2x.gif"), "400x400 GIF, 44 frames")
            + webP(others.appendingPathComponent("TestImageAnimated.webp"), "990x1050 WebP, 8 frames")
            + png(others.appendingPathComponent("TestImageLarge.png"), "1275x720 APNG, 4 frames")
    }

    /// 0.9 of a bare library's frames a second is 1.11 of its time; twice a peer's is half its time.
    private static let (bareTarget, peerTarget) = (1 / 0.9, 0.5)

    private static func gif(_ file: URL, _ name: String) throws -> [Contest] {
        let job = try Job(file)
        func bare(_ out: UnsafeMutablePointer<UInt8>?) throws {
            var count: Int32 = 0
            try job.check(peer_gif_frames(job.bytes, job.data.count, &count, out), count)
        }
        func gdk(_ out: UnsafeMutablePointer<UInt8>?) throws {
            try job.check(peer_gdk_frames(job.bytes, job.data.count, Int32(job.count), out), Int32(job.count))
        }
        try job.agree("\(name), giflib", bare)
        try job.agree("\(name), gdk-pixbuf", gdk)
        return [
            Contest("\(name), giflib", target: bareTarget, [job.ours, .init("giflib") { try bare(nil) }]),
            Contest("\(name), gdk-pixbuf", target: peerTarget, [job.ours, .init("gdk-pixbuf") { try gdk(nil) }]),
            try job.pillowContest(name, target: peerTarget),
        ]
    }

    private static func webP(_ file: URL, _ name: String) throws -> [Contest] {
        let job = try Job(file)
        func bare(_ out: UnsafeMutablePointer<UInt8>?) throws {
            var count: Int32 = 0
            try job.check(peer_webp_frames(job.bytes, job.data.count, &count, out), count)
        }
        try job.agree("\(name), libwebp", bare)
        return [
            Contest("\(name), libwebp", target: bareTarget, [job.ours, .init("libwebp") { try bare(nil) }]),
            try job.pillowContest(name, target: peerTarget),
        ]
    }

    /// libpng knows no animations: bare is reading as many stills of the same data.
    private static func png(_ file: URL, _ name: String) throws -> [Contest] {
        let job = try Job(file)
        let stills = APNGStills.split(job.data).map { $0 as NSData }
        guard stills.count == job.count else { throw ScenarioError.disagree("\(name): \(stills.count) stills") }
        var files = stills.map { Optional($0.bytes.assumingMemoryBound(to: UInt8.self)) }
        var lengths = stills.map(\.length)
        let bare = Contest.Competitor("libpng") {
            let status = withExtendedLifetime(stills) { peer_png_stills(&files, &lengths, Int32(stills.count)) }
            try job.check(status, Int32(stills.count))
        }
        return [
            Contest("\(name), libpng", target: bareTarget, [job.ours, bare]),
            try job.pillowContest(name, target: peerTarget),
        ]
    }

    /// One animation and our way with it.
    private final class Job {
        /// What the library gets.
        let file: Data
        /// The same where it stays, for the peers.
        let data: NSData
        let count: Int
        private let url: URL
        private let size: PixelSize

        var bytes: UnsafePointer<UInt8> { data.bytes.assumingMemoryBound(to: UInt8.self) }
        init(_ url: URL) throws {
            self.url = url
            file = try Data(contentsOf: url)
            data = NSData(data: file)
            let info = try ImageCodersManager.shared.imageInfo(of: file, limits: .default)
            (count, size) = (info.frameCount, info.pixelSize)
        }

        var ours: Contest.Competitor {
            Contest.Competitor("webimage") { [file, count] in _ = try Self.frames(file, count) }
        }

        static func frames(_ data: Data, _ count: Int) throws -> Image {
            guard
                let animation = try ImageCodersManager.shared.animation(of: data, options: DecodingOptions())
            else { throw ScenarioError.peerFailed }
            for index in 0..<count - 1 { _ = try animation.frameWithReason(at: index) }
            return try animation.frameWithReason(at: count - 1)
        }

        func agree(_ what: String, _ peer: (UnsafeMutablePointer<UInt8>?) throws -> Void) throws {
            var theirs = [UInt8](repeating: 0, count: size.width * size.height * 4)
            try theirs.withUnsafeMutableBufferPointer { try peer($0.baseAddress) }
            try Agreement.check(Agreement.rgba(Self.frames(file, count)), theirs, within: 1, what)
        }

        func pillowContest(_ name: String, target: Double) throws -> Contest {
            let pillow = try PillowPeer(url)
            try Agreement.check(
                Agreement.rgba(Self.frames(file, count)), pillow.pixels("frames"), within: 1, "\(name), Pillow")
            return Contest("\(name), Pillow", target: target, [ours, .init("Pillow") { try pillow.run("frames") }])
        }

        func check(_ status: Int32, _ frames: Int32) throws {
            guard status == 0, Int(frames) == count else { throw ScenarioError.peerFailed }
        }
    }
}

/// The frames of an APNG as PNG files of their own.
enum APNGStills {
    static func split(_ file: NSData) -> [Data] {
        let data = [UInt8](file as Data)
        func number(_ place: Int) -> Int {
            data[place..<place + 4].reduce(0) { (sum: Int, byte: UInt8) -> Int in sum << 8 | Int(byte) }
        }
        var (place, head, shared) = (8, [UInt8](), [UInt8]())
        var (stills, current): ([Data], [UInt8]?) = ([], nil)
        func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
            let named = Array(type.utf8) + body
            return bigEndian(body.count) + named + bigEndian(Int(crc(named)))
        }
        func end() {
            guard let current else { return }
            var still = Data(data[..<8])
            for part in [head, shared, current, chunk("IEND", [])] { still.append(contentsOf: part) }
            stills.append(still)
        }
        while place + 12 <= data.count {
            let length = number(place)
            let type = String(decoding: data[place + 4..<place + 8], as: UTF8.self)
            let body = Array(data[place + 8..<place + 8 + length])
            switch type {
            case "IHDR": head = chunk("IHDR", body)
            case "PLTE", "tRNS": shared += chunk(type, body)
            case "fcTL":
                end()
                current = []
                // The frame's own sides, the rest as the file's.
                head = chunk("IHDR", Array(body[4..<12]) + Array(head[16..<21]))
            case "IDAT": current? += chunk("IDAT", body)
            case "fdAT": current? += chunk("IDAT", Array(body.dropFirst(4)))
            default: break
            }
            place += 12 + length
        }
        end()
        return stills
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { (shift: Int) -> UInt8 in UInt8(value >> shift & 255) }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
