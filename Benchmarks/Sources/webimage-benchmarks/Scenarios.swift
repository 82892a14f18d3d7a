import CPeers
import Foundation
import Harness
import WebImage

/// The scenarios; inputs come from the `bench` folder of the conformance data.
struct Scenarios {
    private let options: Options
    private var folder: URL { options.data }

    init(_ options: Options) { self.options = options }

    /// All scenarios in the order in which they run.
    static let names =
        inProcess + ["disk", "download", "cold-load", "flood", "burst", "steady"]
    /// Scenarios whose competitors take turns in this process.
    private static let inProcess =
        ["memory-hit", "decode", "thumbnail", "progressive", "transform", "animate", "deliver"] + CodecScenarios.names

    /// The contests of a scenario in this process.
    func contests(_ name: String) throws -> [Contest] {
        guard Self.inProcess.contains(name) else { throw ScenarioError.unknown(name) }
        guard name == "memory-hit" || FileManager.default.fileExists(atPath: folder.path + "/photo.jpg") else {
            throw ScenarioError.missing("no photo.jpg in \(folder.path); name the folder of the inputs with --data")
        }
        return switch name {
        case "memory-hit": try MemoryScenario().contests()
        case "decode": [try fullDecode()] + (try PicturePeers(folder: folder).decodes())
        case "thumbnail": try PicturePeers(folder: folder).thumbnails()
        case "progressive": [try progressive()]
        case "transform": try TransformScenario.contests(folder)
        case "deliver": try DeliveryScenario(folder).contests()
        case "animate": try AnimateScenario.contests(folder)
        default: try CodecScenarios(folder: folder).contests(name)
        }
    }

    /// Decodes a 6 MP photo to 4-byte pixels.
    private func fullDecode() throws -> Contest {
        let photo = try file("photo.jpg")
        let ours = Contest.Competitor("webimage") {
            _ = try ImageCodersManager.shared.decode(photo, options: DecodingOptions())
        }
        let bare = Contest.Competitor("libjpeg-turbo") {
            guard photo.withBytes({ peer_libjpeg_decode($0, photo.count) }) == 0 else { throw ScenarioError.peerFailed }
        }
        return Contest("decode photo.jpg 2725x2225", target: 1.10, [ours, bare])
    }

    /// Decodes a progressive photo in 64 pieces with three previews, against one decode of the whole.
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
                // Request a preview only after each quarter of the bytes, as a caller that throttles does.
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
}

enum ScenarioError: Error {
    case unknown(String)
    case failed(String)
    case peerFailed
    case missing(String)
    case disagree(String)
}

extension Data {
    func withBytes(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        withUnsafeBytes { body($0.bindMemory(to: UInt8.self).baseAddress!) }
    }
}
