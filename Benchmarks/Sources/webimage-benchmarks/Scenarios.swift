import CPeers
import Foundation
import Harness
import WebImage

/// What can be measured; inputs come from the `bench` folder of the conformance data.
struct Scenarios {
    let folder: URL

    let names = ["decode", "thumbnail"]

    func contests(_ name: String) throws -> [Contest] {
        switch name {
        case "decode": [try fullDecode()]
        case "thumbnail": [try thumbnail()]
        default: throw ScenarioError.unknown(name)
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
    private func thumbnail() throws -> Contest {
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
        return Contest("thumbnail photo.jpg to 256", target: 0.65, [ours, vips])
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
}

extension Data {
    fileprivate func withBytes(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        withUnsafeBytes { body($0.bindMemory(to: UInt8.self).baseAddress!) }
    }
}
