import CMotionPeers
import CPeers
import Foundation
import Harness
import WebImage

/// Compares image operations with libvips, Pillow and OpenCV. OpenCV takes part only in the operations that
/// it offers.
enum TransformScenario {
    static func contests(_ folder: URL) throws -> [Contest] {
        guard peer_vips_start(1) == 0 else { throw ScenarioError.peerFailed }
        let photo = try Photo(folder.appendingPathComponent("photo.jpg"))
        let small = try Photo(folder.appendingPathComponent("photo-1000x1000.jpg"))
        return [resize(photo), blur(small)] + moves(small)
    }

    /// Returns a contest that resizes a photo of 6 MP to 720 × 588 px.
    private static func resize(_ photo: Photo) -> Contest {
        let size = CGSize(width: 720, height: 588)
        let ours = { photo.image.resizedImage(with: size, scaleMode: .fill) }
        let vips = VipsJob(photo, count: 720 * 588 * 3) { peer_vips_resize($0, $1, $2, 720, 588, $3) }
        return Contest(
            "resize \(photo.width)x\(photo.height) to 720x588", target: 1.1, judgesFastest: true,
            [
                photo.competitor(ours), vips.competitor(target: 0.5), photo.pillow.competitor("resize"),
                // OpenCV has no equivalent of our Lanczos 3 filter. INTER_AREA averages the source pixels of each
                // new pixel. INTER_LANCZOS4 always uses eight taps, so a reduced picture has aliasing. The results
                // of both filters differ from ours and are not compared with ours. The contest prints their PSNR.
                photo.openCV.competitor("resize-area", named: "OpenCV INTER_AREA"),
                photo.openCV.competitor("resize-lanczos4", named: "OpenCV INTER_LANCZOS4"),
            ]
        ) {
            let (mine, theirs) = try (ResultComparison.rgba(ours()), vips.pixels())
            try ResultComparison.check(mine, theirs, within: 2, "resize, libvips")
            try ResultComparison.check(mine, photo.pillow.pixels("resize"), within: 2, "resize, Pillow")
            let reference = LanczosReference.scaled(
                photo.rgb, width: photo.width, height: photo.height, to: PixelSize(width: 720, height: 588))
            let pictures = try [
                ("webimage", mine), ("libvips", theirs), ("Pillow", photo.pillow.pixels("resize")),
                ("OpenCV INTER_AREA", photo.openCV.pixels("resize-area")),
                ("OpenCV INTER_LANCZOS4", photo.openCV.pixels("resize-lanczos4")),
            ]
            let texts = pictures.map { $0 + String(format: " %.1f dB", ResultComparison.psnr($1, reference)) }
            print("resize, PSNR against Lanczos 3 in floating point:", texts.joined(separator: ", "))
        }
    }

    /// Returns a contest that blurs an image of 1 MP with a Gaussian of standard deviation 25 px.
    private static func blur(_ photo: Photo) -> Contest {
        let ours = { photo.image.blurredImage(withRadius: 25) }
        let vips = VipsJob(photo) { peer_vips_blur($0, $1, $2, 25, $3) }
        return contest(
            "blur", "blur 25 on 1 MP", photo, within: 2, ours, vips, targets: (vips: 1, pillow: 0.5), hasOpenCV: true)
    }

    private static func moves(_ photo: Photo) -> [Contest] {
        let (image, alpha) = (photo.image, photo.width * photo.height * 4)
        let color: [UInt8] = [200, 30, 60]
        let parts = color.map { Double($0) / 255 }
        let tint = ImageColor(red: parts[0], green: parts[1], blue: parts[2])
        return [
            contest(
                "round", "round 1 MP", photo, within: 1,
                {
                    image.roundedCornerImage(withRadius: 50, corners: .allCorners, borderWidth: 0, borderColor: nil)
                }, VipsJob(photo, count: alpha) { peer_vips_round($0, $1, $2, 50, $3) }, hasOpenCV: false),
            contest(
                "flip", "flip 1 MP", photo, within: 1, { image.flippedImage(withHorizontal: true, vertical: false) },
                VipsJob(photo) { peer_vips_flip($0, $1, $2, $3) }, hasOpenCV: true),
            contest(
                "rotate", "rotate 1 MP", photo, within: 1, { image.rotatedImage(withAngle: .pi / 2, fitSize: true) },
                VipsJob(photo) { peer_vips_rotate($0, $1, $2, $3) }, hasOpenCV: true),
            contest(
                "tint", "tint 1 MP", photo, within: 1, { image.tintedImage(with: tint) },
                VipsJob(photo, count: alpha) { peer_vips_tint($0, $1, $2, color, $3) }, hasOpenCV: false),
        ]
    }

    /// Returns a contest of one operation. Before the measurement, the contest compares our result with the result of
    /// each peer. The average difference must be at most `levels`. `job` is the name of the operation in the scripts of
    /// `peers/`.
    private static func contest(
        _ job: String, _ name: String, _ photo: Photo, within levels: Double, _ ours: @escaping () -> Image?,
        _ vips: VipsJob, targets: (vips: Double?, pillow: Double?) = (nil, nil), hasOpenCV: Bool
    ) -> Contest {
        Contest(
            name, target: 1.1, judgesFastest: true,
            [
                photo.competitor(ours), vips.competitor(target: targets.vips),
                photo.pillow.competitor(job, target: targets.pillow),
            ] + (hasOpenCV ? [photo.openCV.competitor(job)] : [])
        ) {
            let mine = try ResultComparison.rgba(ours())
            try ResultComparison.check(mine, vips.pixels(), within: levels, "\(job), libvips")
            try ResultComparison.check(mine, photo.pillow.pixels(job), within: levels, "\(job), Pillow")
            if hasOpenCV {
                try ResultComparison.check(mine, photo.openCV.pixels(job), within: levels, "\(job), OpenCV")
            }
        }
    }
}

/// A photo in the forms that the competitors need. Our library uses a decoded image, and libvips uses RGB rows. The
/// Python processes of Pillow and OpenCV open the photo.
private final class Photo {
    let image: Image
    let pillow: LinePeer
    let openCV: LinePeer
    private(set) lazy var rgb = ResultComparison.rgb((try? ResultComparison.rgba(image)) ?? [])
    var width: Int { image.pixels.width }
    var height: Int { image.pixels.height }

    init(_ file: URL) throws {
        image = try ImageCodersManager.shared.decode(Data(contentsOf: file), options: DecodingOptions())
        (pillow, openCV) = (.pillow(file), .openCV(file))
    }

    func competitor(_ ours: @escaping () -> Image?) -> Contest.Competitor {
        Contest.Competitor("webimage") { guard ours() != nil else { throw ScenarioError.peerFailed } }
    }
}

/// A libvips operation on the rows of a photo.
private struct VipsJob {
    typealias Call = (UnsafePointer<UInt8>?, Int32, Int32, UnsafeMutablePointer<UInt8>?) -> Int32
    private let photo: Photo
    private let count: Int?
    private let call: Call

    /// Creates a job. `count` is the number of bytes of the result. By default, this is the number of bytes of the
    /// photo's RGB rows.
    init(_ photo: Photo, count: Int? = nil, _ call: @escaping Call) {
        self.photo = photo
        self.count = count
        self.call = call
    }

    func competitor(target: Double?) -> Contest.Competitor {
        Contest.Competitor("libvips", target: target, prepare: { _ = photo.rgb }, run: { try run(nil) })
    }

    /// Runs the operation and returns its result as RGBA rows.
    func pixels() throws -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count ?? photo.rgb.count)
        try result.withUnsafeMutableBufferPointer { try run($0.baseAddress) }
        return result.count == photo.width * photo.height * 4 ? result : ResultComparison.rgba(rgb: result)
    }

    private func run(_ out: UnsafeMutablePointer<UInt8>?) throws {
        let status = photo.rgb.withUnsafeBufferPointer {
            call($0.baseAddress, Int32(photo.width), Int32(photo.height), out)
        }
        guard status == 0 else { throw ScenarioError.peerFailed }
    }
}
