import CMotionPeers
import CPeers
import Foundation
import Harness
import WebImage

/// Compares how fast our library and the peers decode whole pictures and thumbnails. All peers that read the format
/// take part. Each peer is called as its manual shows and uses one thread.
struct PicturePeers {
    private let inputs: Inputs

    init(folder: URL) throws {
        guard peer_vips_start(1) == 0 else { throw ScenarioError.peerFailed }
        inputs = Inputs(folder: folder)
    }

    /// Returns contests for thumbnails of 256 px on the longer side. Our library must not be slower than the fastest
    /// peer.
    func thumbnails() throws -> [Contest] {
        // The greatest part of the time of libjpeg-turbo at 1/8 that our decoder and the scaling behind it may take.
        // libjpeg-turbo decodes CMYK for us as well.
        let photos: KeyValuePairs = [
            "photo.jpg": 0.40, "large-4000x3000.jpg": 0.40, "photo-progressive.jpg": 0.20, "photo-444.jpg": 0.25,
            "photo-grey.jpg": 0.25, "photo-cmyk.jpg": 1.25, "photo-rotated.jpg": 0.40,
        ]
        let others = ["paper.png", "photo.webp", "photo.avif", "photo-6mp.jxl", "TestImage.heic"]
        // JPEG photos have stricter targets: 0.25 of the time of libvips, and 0.3 of the time of Pillow.
        return try photos.map { try contest($0.key, side: 256, targets: ["libvips": 0.25, "Pillow": 0.3]) }
            + others.map { try contest($0, side: 256) }
            + photos.map { try limit($0.key, side: 256, target: $0.value) }
    }

    /// Returns a contest that compares a thumbnail with the practical limit of the time. For the limit, libjpeg-turbo
    /// alone decodes the JPEG to an eighth of its width and height.
    private func limit(_ name: String, side: Int, target: Double) throws -> Contest {
        let data = try inputs.data(name)
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: side, height: side)
        let wanted = options
        return Contest(
            "thumbnail \(name) to \(side), limit", target: target,
            [
                .init("webimage") { _ = try ImageCodersManager.shared.decode(data, options: wanted) },
                .init("libjpeg-turbo at 1/8") {
                    guard data.withBytes({ peer_libjpeg_decode_eighth($0, data.count) }) == 0 else {
                        throw ScenarioError.peerFailed
                    }
                },
            ])
    }

    /// Returns contests that decode every pixel, one per format.
    func decodes() throws -> [Contest] {
        let names = [
            "photo.jpg", "paper.png", "photo.webp", "paper-lossless.webp", "photo.avif", "photo.jxl", "photo.tiff",
            "photo.gif", "photo.bmp", "TestImage.heic", "TestImage.svg",
        ]
        return try names.map { try contest($0, side: 0) }
    }

    private func contest(_ name: String, side: Int, targets: [String: Double] = [:]) throws -> Contest {
        let file = try inputs.file(name)
        let data = try Data(contentsOf: file)
        var options = DecodingOptions()
        if side > 0 { options.thumbnailPixelSize = PixelSize(width: side, height: side) }
        let wanted = options
        let job = side > 0 ? "thumbnail" : "decode"
        let magick = LinePeer.graphicsMagick()
        let size = side > 0 ? "-size \(side)x\(side) \(file.path) -thumbnail \(side)x\(side)" : file.path
        return Contest(
            "\(job) \(name)\(side > 0 ? " to \(side)" : ""), everybody", target: 1.0, judgesFastest: true,
            // Skip peers that cannot read the format.
            skipsUnsupportedPeers: true,
            [
                .init("webimage") { _ = try ImageCodersManager.shared.decode(data, options: wanted) },
                .init("libvips", target: targets["libvips"]) {
                    let status = data.withBytes {
                        side > 0 ? peer_vips_thumbnail($0, data.count, Int32(side)) : peer_vips_decode($0, data.count)
                    }
                    guard status == 0 else { throw ScenarioError.peerFailed }
                },
                .init("gdk-pixbuf") {
                    guard data.withBytes({ peer_gdk_decode($0, data.count, Int32(side)) }) == 0 else {
                        throw ScenarioError.peerFailed
                    }
                },
                LinePeer.pillow(file).competitor(job, target: targets["Pillow"]),
                LinePeer.openCV(file).competitor(job),
                LinePeer.imagecodecs(file).competitor(job),
                magick.competitor("convert \(size) null:"),
            ])
    }
}
