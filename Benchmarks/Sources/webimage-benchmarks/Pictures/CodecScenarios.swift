import CCodecPeers
import CMotionPeers
import CPeers
import Foundation
import Harness
import WebImage
import WebImageAVIF
import WebImageJXL
import WebImageTIFF

/// The contests of the scenarios `codecs`, `play` and `resize`. In `codecs`, the peer decodes each format with the
/// library of the format. In `play`, the peer is a C loop that plays an animation with giflib or libwebp. In `resize`,
/// the peers are image libraries that reduce the size of a picture.
struct CodecScenarios {
    private let inputs: Inputs

    init(folder: URL) { inputs = Inputs(folder: folder) }

    static let names = ["codecs", "play", "resize"]

    func contests(_ name: String) throws -> [Contest] {
        switch name {
        case "codecs":
            [
                try decode("paper.png", "libpng", peer_libpng_decode),
                try decode("photo.webp", "libwebp", peer_libwebp_decode),
                try decode("paper-lossless.webp", "libwebp", peer_libwebp_decode),
                try decode("photo.avif", "libavif", peer_libavif_decode, by: ImageAVIFCoder.shared),
                try decode("photo.jxl", "libjxl", peer_libjxl_decode, by: ImageJPEGXLCoder.shared),
                try decode("photo.tiff", "libtiff", peer_libtiff_decode, by: ImageTIFFCoder.shared),
            ]
        case "play":
            [
                try play("rotating-squares.gif", "giflib", peer_giflib_play),
                try play("rotating-squares.webp", "libwebp", peer_libwebp_play),
            ]
        case "resize": [try resizeJPEG(), try resizePNG()]
        default: throw ScenarioError.unknown(name)
        }
    }

    private typealias Peer = @Sendable (UnsafePointer<UInt8>?, Int) -> Int32

    /// Returns a contest that decodes a whole picture to four bytes per pixel.
    private func decode(
        _ name: String, _ library: String, _ peer: @escaping Peer,
        by coder: any ImageCoder = ImageCodersManager.shared
    ) throws -> Contest {
        let data = try inputs.data(name)
        let ours = Contest.Competitor("webimage") {
            _ = try coder.decode(data, options: DecodingOptions())
        }
        return Contest("decode \(name)", target: 1.10, [ours, Self.competitor(library, data, peer)])
    }

    /// Returns a contest that decodes every frame of an animation once, in order. Our library keeps no frame in
    /// memory.
    private func play(_ name: String, _ library: String, _ peer: @escaping Peer) throws -> Contest {
        let data = try inputs.data(name)
        let ours = Contest.Competitor("webimage") {
            guard let animation = try ImageCodersManager.shared.animation(of: data, options: DecodingOptions()) else {
                throw ScenarioError.peerFailed
            }
            for index in 0..<animation.animatedImageFrameCount {
                guard animation.animatedImageFrame(at: index) != nil else { throw ScenarioError.peerFailed }
            }
        }
        // We must reach 0.9 of the frame rate of the C loop. The target is the same value as a ratio of times.
        return Contest("play \(name)", target: 1 / 0.9, [ours, Self.competitor(library, data, peer)])
    }

    /// Returns a contest that fits the 6 MP photo into 720 × 588 px and encodes the result as a JPEG of
    /// quality 80.
    private func resizeJPEG() throws -> Contest {
        let file = try inputs.file("photo.jpg")
        let data = try Data(contentsOf: file)
        var decoding = DecodingOptions()
        decoding.thumbnailPixelSize = PixelSize(width: 720, height: 588)
        decoding.pixelFormat = .rgb8
        var encoding = EncodingOptions()
        encoding.quality = 0.8
        let (wanted, written) = (decoding, encoding)
        let ours = Contest.Competitor("webimage") {
            let image = try ImageCodersManager.shared.decode(data, options: wanted)
            _ = try ImageCodersManager.shared.encode(image, format: .jpeg, options: written)
        }
        return Contest(
            "photo.jpg to 720x588 at quality 80", target: 1, judgesFastest: true,
            [
                ours, try vips(data, target: 0.6) { peer_vips_resize_jpeg($0, $1, 720, 588, 80) },
                Self.competitor("gdk-pixbuf", data) { peer_gdk_resize_jpeg($0, $1, 720, 588, 80) },
                LinePeer.pillow(file).competitor("jpeg"), LinePeer.openCV(file).competitor("jpeg"),
                LinePeer.graphicsMagick().competitor(
                    "convert -size 720x588 \(file.path) -thumbnail 720x588 -quality 80 jpeg:/dev/null"),
            ])
    }

    /// Returns a contest that fits a PNG of 2048 × 1536 px into 720 × 540 px. The result is not encoded.
    private func resizePNG() throws -> Contest {
        let data = try inputs.data("paper.png")
        var decoding = DecodingOptions()
        decoding.thumbnailPixelSize = PixelSize(width: 720, height: 540)
        let wanted = decoding
        let ours = Contest.Competitor("webimage") {
            _ = try ImageCodersManager.shared.decode(data, options: wanted)
        }
        return Contest(
            "paper.png 2048x1536 to 720x540", target: 0.5, [ours, try vips(data) { peer_vips_thumbnail($0, $1, 720) }])
    }

    private func vips(_ data: Data, target: Double? = nil, _ peer: @escaping Peer) throws -> Contest.Competitor {
        guard peer_vips_start(1) == 0 else { throw ScenarioError.peerFailed }
        return Self.competitor("libvips", data, target: target, peer)
    }

    private static func competitor(
        _ name: String, _ data: Data, target: Double? = nil, _ peer: @escaping Peer
    ) -> Contest.Competitor {
        Contest.Competitor(name, target: target) {
            let status = data.withUnsafeBytes { peer($0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
            guard status == 0 else { throw ScenarioError.peerFailed }
        }
    }
}
