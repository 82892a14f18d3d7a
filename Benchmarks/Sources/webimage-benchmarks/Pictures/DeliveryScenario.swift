import CCodecPeers
import CPeers
import Foundation
import Harness
import WebImage
import WebImageAVIF

/// Compares how fast competitors encode a photo in two sizes that an image service delivers: 320 and 1280 px on the
/// longer side. The competitors are our library and the library of each format. They use the same settings.
struct DeliveryScenario {
    private let inputs: Inputs

    init(_ folder: URL) { inputs = Inputs(folder: folder) }

    func contests() throws -> [Contest] {
        try [320, 1280].flatMap { side in
            let picture = try DeliveredPicture(inputs, side: side)
            return [
                contest(picture, .jpeg, 80, "libjpeg-turbo") { peer_libjpeg_encode($0, $1, $2, $3, 80, $4) },
                contest(picture, .webP, 79, "libwebp") { peer_libwebp_encode($0, $1, $2, $3, 79, 4, $4) },
                contest(picture, .png, 100, "libpng") { peer_libpng_encode($0, $1, $2, $3, 6, $4) },
                // Our AVIF coder maps quality 63 to libavif's quantizer 23.
                contest(picture, .avif, 63, "libavif") { peer_libavif_encode($0, $1, $2, $3, 23, 9, 1, $4) },
            ]
        }
    }

    private func contest(
        _ picture: DeliveredPicture, _ format: ImageFormat, _ quality: Int, _ library: String,
        _ encode: @escaping DeliveredPicture.Peer
    ) -> Contest {
        var options = EncodingOptions()
        options.quality = Double(quality) / 100
        let wanted = options
        let name = "encode \(picture.side) px \(format.name ?? "") quality \(quality)"
        return Contest(
            name, target: 1.05,
            [
                .init("webimage") {
                    _ = try ImageCodersManager.shared.encode(picture.image, format: format, options: wanted)
                },
                .init(library) { _ = try picture.encoded(encode) },
            ],
            agree: {
                let own = try ImageCodersManager.shared.encode(picture.image, format: format, options: wanted).count
                let other = try picture.encoded(encode).count
                // With the same settings, the sizes of the two files differ only by the metadata. If they differ more,
                // the competitors do different work.
                guard abs(own - other) <= max(200, other / 100) else {
                    throw ScenarioError.disagree("\(name): \(own) bytes, by \(library) \(other)")
                }
                print("\(name): \(own) bytes, by \(library) \(other)")
            })
    }
}

/// The photo in one delivery size. The pixels are opaque BGRX rows, which all encoders can read.
struct DeliveredPicture: Sendable {
    typealias Peer =
        @Sendable (
            UnsafePointer<UInt8>?, Int32, Int32, Int, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?
        ) -> Int

    let side: Int
    let image: Image

    init(_ inputs: Inputs, side: Int) throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: side, height: side)
        self.side = side
        image = try ImageCodersManager.shared.decode(inputs.data("photo.jpg"), options: options)
    }

    /// Encodes the picture by calling a C function of `CCodecPeers` or `CPeers`.
    func encoded(_ peer: Peer) throws -> Data {
        let pixels = image.pixels
        return try pixels.withUnsafeBytes { bytes in
            var file: UnsafeMutablePointer<UInt8>?
            let count = peer(
                bytes.bindMemory(to: UInt8.self).baseAddress, Int32(pixels.width), Int32(pixels.height),
                pixels.bytesPerRow, &file)
            guard let file, count > 0 else { throw ScenarioError.peerFailed }
            return Data(bytesNoCopy: file, count: count, deallocator: .free)
        }
    }
}
