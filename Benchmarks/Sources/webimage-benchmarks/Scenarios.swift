import CPeers
import Foundation
import Harness
import WebImage

/// What can be measured; inputs come from the `bench` folder of the conformance data.
struct Scenarios {
    let folder: URL

    let names = ["decode", "thumbnail", "progressive", "transform", "animate"] + CodecScenarios.names

    func contests(_ name: String) throws -> [Contest] {
        switch name {
        case "decode": try [fullDecode()] + PicturePeers(folder: folder).decodes()
        case "thumbnail": try thumbnail() + PicturePeers(folder: folder).thumbnails()
        case "progressive": [try progressive()]
        case "transform": try TransformScenario.contests(folder)
        case "animate": try AnimateScenario.contests(folder)
        default: try CodecScenarios(folder: folder).contests(name)
        }
    }

    /// A 6 MP photo to 4-byte pixels.
    private func fullDecode() throws -> Contest {
        let photo = try file("photo.jpg")
        let ours = Contest.Competitor("webimage") {
            _ = try ImageCodersManager.shared.decode(photo, options: DecodingOptions())
        }
        let bare = Contest.Competitor("libjpeg-turbo") {
            try Self.check(photo.withBytes { peer_libjpeg_decode($0, photo.count) })
        }
        return Contest("decode photo.jpg 2725x2225", target: 1.10, [ours, bare])
    }

    /// The same photo to fit 256 x 256.
    private func thumbnail() throws -> [Contest] {
        let photo = try file("photo.jpg")
        try Self.check(peer_vips_start(1))
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 256, height: 256)
        let wanted = options
        let ours = Contest.Competitor("webimage") {
            _ = try ImageCodersManager.shared.decode(photo, options: wanted)
        }
        let vips = Contest.Competitor("libvips") {
            try Self.check(photo.withBytes { peer_vips_thumbnail($0, photo.count, 256) })
        }
        let pillow = try PillowPeer(folder.appendingPathComponent("photo.jpg"))
        let name = "thumbnail photo.jpg to 256"
        return [
            Contest("\(name), libvips", target: 0.65, [ours, vips]),
            Contest("\(name), Pillow", target: 0.75, [ours, .init("Pillow") { try pillow.run("thumbnail") }]),
        ]
    }

    /// A progressive photo in 64 pieces, three previews on the way, against one decode of the whole.
    private func progressive() throws -> Contest {
        let photo = try file("photo-progressive.jpg")
        let size = (photo.count + 63) / 64
        let ours = Contest.Competitor("in 64 pieces") {
            let start = photo.prefix(ImageFormat.signatureLength)
            guard
                let coder = ImageCodersManager.shared.makeIncrementalCoder(for: start, options: nil)
                    as? any StreamingImageCoder
            else { throw ScenarioError.peerFailed }
            var shown = 0
            for piece in 0..<64 {
                try coder.append(photo.dropFirst(piece * size).prefix(size), finished: piece == 63)
                // A throttle of the caller's: a quarter of the bytes each.
                guard piece % 16 == 15, coder.incrementalRevision > shown else { continue }
                shown = coder.incrementalRevision
                guard coder.incrementalDecodedImage(with: nil) != nil else { throw ScenarioError.peerFailed }
            }
        }
        let whole = Contest.Competitor("at once") {
            _ = try ImageCodersManager.shared.decode(photo, options: DecodingOptions())
        }
        return Contest("progressive photo-progressive.jpg", target: 1.6, [ours, whole])
    }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(name))
    }

    private static func check(_ status: Int32) throws {
        guard status == 0 else { throw ScenarioError.peerFailed }
    }
}

enum ScenarioError: Error {
    case unknown(String)
    case peerFailed
    case missing(String)
    case disagree(String)
}

extension Data {
    func withBytes(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        withUnsafeBytes { body($0.bindMemory(to: UInt8.self).baseAddress!) }
    }
}
