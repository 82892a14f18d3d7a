import CMotionPeers
import CPeers
import Foundation
import Harness
import WebImage
import WebImageAVIF

/// Pictures as a whole and as a thumbnail, beside everybody who reads them: each on one thread, as its manual shows.
struct PicturePeers {
    let folder: URL

    private static let files = ["photo.jpg", "paper.png", "photo.webp", "photo.avif"]

    /// 256 pixels at the longer side; the aim is to be first.
    func thumbnails() throws -> [Contest] { try Self.files.compactMap { try contest($0, side: 256) } }

    /// Every pixel.
    func decodes() throws -> [Contest] { try Self.files.compactMap { try contest($0, side: 0) } }

    private func contest(_ name: String, side: Int) throws -> Contest? {
        let file = folder.appendingPathComponent(name)
        guard let data = try? Data(contentsOf: file) else { return nil }
        guard peer_vips_start(1) == 0 else { throw ScenarioError.peerFailed }
        ImageCodersManager.shared.addCoder(ImageAVIFCoder.shared)
        var options = DecodingOptions()
        if side > 0 { options.thumbnailPixelSize = PixelSize(width: side, height: side) }
        let wanted = options
        let job = side > 0 ? "thumbnail" : "decode"
        let (pillow, opencv) = (
            try LinePeer("Pillow", script: "pillow.py"), try LinePeer("OpenCV", script: "opencv.py")
        )
        let magick = try LinePeer(
            "GraphicsMagick",
            ["OMP_NUM_THREADS=1", "gm", "batch", "-feedback", "on", "-pass", "ok", "-fail", "no", "-"])
        let size = side > 0 ? "-size \(side)x\(side) \(file.path) -thumbnail \(side)x\(side)" : file.path
        let competitors = [
            Contest.Competitor("webimage") { _ = try ImageCodersManager.shared.decode(data, options: wanted) },
            Contest.Competitor("libvips") {
                let status = data.withBytes {
                    side > 0 ? peer_vips_thumbnail($0, data.count, Int32(side)) : peer_vips_decode($0, data.count)
                }
                guard status == 0 else { throw ScenarioError.peerFailed }
            },
            Contest.Competitor("gdk-pixbuf") {
                guard data.withBytes({ peer_gdk_decode($0, data.count, Int32(side)) }) == 0 else {
                    throw ScenarioError.peerFailed
                }
            },
            Contest.Competitor("Pillow") { try pillow.run(job) },
            Contest.Competitor("OpenCV") { try opencv.run(job) },
            Contest.Competitor("GraphicsMagick") { try magick.run("convert \(size) null:") },
        ]
        // Who does not know a format says so when it is to decode it.
        try? pillow.run("open " + file.path)
        try? opencv.run("open " + file.path)
        // Who cannot read a format stays away.
        let able = competitors.enumerated().filter { index, peer in index == 0 || (try? peer.run()) != nil }.map(
            \.element)
        return Contest(
            "\(job) \(name)\(side > 0 ? " to \(side)" : ""), everybody", target: 1.0, judgesFastest: true, able)
    }
}
