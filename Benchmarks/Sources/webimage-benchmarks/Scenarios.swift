import CPeers
import Foundation
import Harness
import WebImage

/// Contains the names of all scenarios, and the contests of the scenarios that run in this process. Input pictures
/// come from the `bench` folder of the conformance data.
struct Scenarios {
    private let options: Options
    private var folder: URL { options.data }

    init(_ options: Options) { self.options = options }

    /// All scenarios in the order in which they run.
    static let names =
        inProcess + ["disk", "download", "cold-load", "flood", "burst", "steady"]
    /// The scenarios that consist of contests. This process runs the contests. All other scenarios measure whole
    /// processes.
    private static let inProcess =
        ["memory-hit", "decode", "thumbnail", "progressive", "transform", "animate", "deliver"] + CodecScenarios.names

    /// Returns the contests of a scenario of ``inProcess``. Throws for all other names.
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

    /// Returns a contest that decodes a 6 MP photo to four bytes per pixel.
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

    /// Returns a contest that decodes a progressive JPEG. The file arrives in 64 pieces, and the contest decodes three
    /// previews and the final image. The peer is our decoder for whole files, which decodes the complete file once.
    private func progressive() throws -> Contest {
        let photo = try file("photo-progressive.jpg")
        let size = (photo.count + 63) / 64
        let ours = Contest.Competitor("in 64 pieces") {
            let start = photo.prefix(ImageFormat.signatureLength)
            guard
                let coder = ImageCodersManager.shared.makeIncrementalCoder(for: start, options: DecodingOptions())
                    as? any StreamingImageCoder
            else { throw ScenarioError.peerFailed }
            var shown = 0
            for piece in 0..<64 {
                try coder.append(photo.dropFirst(piece * size).prefix(size), finished: piece == 63)
                // Request an image only after each quarter of the bytes, like a caller that limits the rate of
                // previews.
                guard piece % 16 == 15, coder.incrementalRevision > shown else { continue }
                shown = coder.incrementalRevision
                guard coder.incrementalImage(options: nil) != nil else { throw ScenarioError.peerFailed }
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
