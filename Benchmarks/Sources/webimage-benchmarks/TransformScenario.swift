import CMotionPeers
import CPeers
import Foundation
import Harness
import WebImage

/// The functions on an image beside libvips and Pillow.
enum TransformScenario {
    static func contests(_ folder: URL) throws -> [Contest] {
        guard peer_vips_start(1) == 0 else { throw ScenarioError.peerFailed }
        let photo = try Photo(folder.appendingPathComponent("photo.jpg"))
        let small = try Photo(folder.appendingPathComponent("photo-1000x1000.jpg"))
        return try [resize(photo)] + blur(small) + moves(small)
    }

    /// 6 MP to 720 × 588.
    private static func resize(_ photo: Photo) throws -> Contest {
        let size = CGSize(width: 720, height: 588)
        func ours() -> Image? { photo.image.resizedImage(with: size, scaleMode: .fill) }
        func vips(_ out: UnsafeMutablePointer<UInt8>?) throws {
            try check(
                photo.rgb.withUnsafeBufferPointer {
                    peer_vips_resize($0.baseAddress, Int32(photo.width), Int32(photo.height), 720, 588, out)
                })
        }
        let mine = try Agreement.rgba(ours())
        var theirs = [UInt8](repeating: 0, count: 720 * 588 * 3)
        try theirs.withUnsafeMutableBufferPointer { try vips($0.baseAddress) }
        try Agreement.check(mine, Agreement.rgba(rgb: theirs), within: 2, "resize, libvips")
        try Agreement.check(mine, photo.pillow.pixels("resize"), within: 2, "resize, Pillow")
        let reference = LanczosReference.scaled(
            photo.rgb, width: photo.width, height: photo.height, to: PixelSize(width: 720, height: 588))
        print(
            String(
                format: "resize, PSNR against floating point: webimage %.1f dB, libvips %.1f dB, Pillow %.1f dB",
                Agreement.psnr(mine, reference), Agreement.psnr(Agreement.rgba(rgb: theirs), reference),
                Agreement.psnr(try photo.pillow.pixels("resize"), reference)))
        return Contest(
            "resize \(photo.width)x\(photo.height) to 720x588", target: 0.5,
            [
                .init("webimage") { guard ours() != nil else { throw ScenarioError.peerFailed } },
                .init("libvips") { try vips(nil) }, .init("Pillow") { try photo.pillow.run("resize") },
            ])
    }

    /// Deviation 25 on 1 MP.
    private static func blur(_ photo: Photo) throws -> [Contest] {
        func ours() -> Image? { photo.image.blurredImage(withRadius: 25) }
        func vips(_ out: UnsafeMutablePointer<UInt8>?) throws {
            try check(
                photo.rgb.withUnsafeBufferPointer {
                    peer_vips_blur($0.baseAddress, Int32(photo.width), Int32(photo.height), 25, out)
                })
        }
        let mine = try Agreement.rgba(ours())
        var theirs = [UInt8](repeating: 0, count: photo.rgb.count)
        try theirs.withUnsafeMutableBufferPointer { try vips($0.baseAddress) }
        try Agreement.check(mine, Agreement.rgba(rgb: theirs), within: 2, "blur, libvips")
        try Agreement.check(mine, photo.pillow.pixels("blur"), within: 2, "blur, Pillow")
        let own = Contest.Competitor("webimage") { guard ours() != nil else { throw ScenarioError.peerFailed } }
        return [
            Contest("blur 25 on 1 MP, libvips", target: 1, [own, .init("libvips") { try vips(nil) }]),
            Contest("blur 25 on 1 MP, Pillow", target: 0.5, [own, .init("Pillow") { try photo.pillow.run("blur") }]),
        ]
    }

    private static func moves(_ photo: Photo) throws -> [Contest] {
        let color = ImageColor(red: 200.0 / 255, green: 30.0 / 255, blue: 60.0 / 255)
        let image = photo.image
        let jobs: [(String, () -> Image?)] = [
            (
                "round",
                {
                    image.roundedCornerImage(
                        withRadius: 50, corners: .allCorners, borderWidth: 0, borderColor: nil)
                }
            ), ("flip", { image.flippedImage(withHorizontal: true, vertical: false) }),
            ("rotate", { image.rotatedImage(withAngle: .pi / 2, fitSize: true) }),
            ("tint", { image.tintedImage(with: color) }),
        ]
        return try jobs.map { name, ours in
            try Agreement.check(try Agreement.rgba(ours()), photo.pillow.pixels(name), within: 1, "\(name), Pillow")
            return Contest(
                "\(name) 1 MP", target: 1,
                [
                    .init("webimage") { guard ours() != nil else { throw ScenarioError.peerFailed } },
                    .init("Pillow") { try photo.pillow.run(name) },
                ])
        }
    }

    private static func check(_ status: Int32) throws {
        guard status == 0 else { throw ScenarioError.peerFailed }
    }

    /// A photo in each competitor's hands.
    private final class Photo {
        let image: Image
        let rgb: [UInt8]
        let pillow: PillowPeer
        var width: Int { image.pixels.width }
        var height: Int { image.pixels.height }

        init(_ file: URL) throws {
            image = try ImageCodersManager.shared.decode(Data(contentsOf: file), options: DecodingOptions())
            rgb = Agreement.rgb(try Agreement.rgba(image))
            pillow = try PillowPeer(file)
        }
    }
}
