import CCodecPeers
import Foundation
import Harness
import WebImage
import WebImageAVIF

/// Prints a table with the encoding time, file size, PSNR and SSIM for each delivery format and for several settings.
/// The default settings of the image service were chosen from this table.
enum DeliverySettings {
    static func run(_ folder: URL) throws {
        let inputs = Inputs(folder: folder)
        print("| px | Format | Setting | Encode, CPU ms | Bytes | Bits a pixel | PSNR, dB | SSIM |")
        print("|---|---|---|---|---|---|---|---|")
        for side in [320, 1280] {
            let picture = try DeliveredPicture(inputs, side: side)
            let fidelity = try Fidelity(picture.image)
            for setting in settings(picture) {
                let file = try setting.encode()
                var times: [Double] = []
                for _ in 0..<5 {
                    let before = clock()
                    _ = try setting.encode()
                    times.append(Double(clock() - before) * 1000 / Double(CLOCKS_PER_SEC))
                }
                let decoded = try ImageCodersManager.shared.decode(file, options: DecodingOptions())
                let (psnr, ssim) = try fidelity.measure(decoded)
                let bits = Double(file.count * 8) / Double(picture.image.pixels.width * picture.image.pixels.height)
                print(
                    "| \(side) | \(setting.format) | \(setting.name) | \(text(times.median, 1)) | \(file.count) "
                        + "| \(text(bits, 2)) | \(text(psnr, 1)) | \(text(ssim, 4)) |")
            }
        }
    }

    private struct Setting {
        let format: String
        let name: String
        let encode: () throws -> Data
    }

    private static func settings(_ picture: DeliveredPicture) -> [Setting] {
        func own(_ format: ImageFormat, _ quality: Int, _ change: (inout EncodingOptions) -> Void = { _ in })
            -> () throws -> Data
        {
            var options = EncodingOptions()
            options.quality = Double(quality) / 100
            change(&options)
            let wanted = options
            return { try ImageCodersManager.shared.encode(picture.image, format: format, options: wanted) }
        }
        var all: [Setting] = []
        for quality in [70, 75, 80, 85, 90] {
            all.append(Setting(format: "JPEG", name: "q \(quality)", encode: own(.jpeg, quality)))
            let progressive = own(.jpeg, quality) { $0.progressive = true }
            all.append(Setting(format: "JPEG", name: "q \(quality), progressive", encode: progressive))
        }
        for quality in [70, 75, 79, 85] {
            for method in [1, 2, 4, 6] {
                let encode = own(.webP, quality) { $0.webP.method = method }
                all.append(Setting(format: "WebP", name: "q \(quality), method \(method)", encode: encode))
            }
        }
        for level in [1, 3, 6, 9] {
            all.append(
                Setting(format: "PNG", name: "level \(level)") {
                    try picture.encoded { peer_libpng_encode($0, $1, $2, $3, Int32(level), $4) }
                })
        }
        for quality in [50, 57, 63, 70, 80] {
            all.append(Setting(format: "AVIF", name: "q \(quality), ours", encode: own(.avif, quality)))
            let quantizer = Int32(((1 - Double(quality) / 100) * 63).rounded())
            for speed in [6, 8, 9, 10] as [Int32] {
                for halves in [0, 1] as [Int32] where halves == 0 || speed != 9 {
                    let name = "q \(quality), \(halves == 1 ? "4:2:0" : "4:4:4"), speed \(speed)"
                    all.append(
                        Setting(format: "AVIF", name: name) {
                            try picture.encoded { peer_libavif_encode($0, $1, $2, $3, quantizer, speed, halves, $4) }
                        })
                }
            }
        }
        return all
    }

    private static func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}

/// Measures the similarity between the original picture and the picture after encoding and decoding.
private struct Fidelity {
    private let rgb: [Double]
    private let luma: [Double]
    private let width: Int
    private let height: Int

    init(_ image: Image) throws {
        let rgba = try ResultComparison.rgba(image)
        rgb = ResultComparison.rgb(rgba).map { Double($0) }
        luma = Self.luma(rgba)
        (width, height) = (image.pixels.width, image.pixels.height)
    }

    /// Returns the PSNR of red, green and blue in dB, and the mean SSIM of luma. The SSIM windows have 8 × 8
    /// pixels and start every 4 pixels.
    ///
    /// SSIM is defined in Z. Wang et al., Image quality assessment: from error visibility to structural similarity,
    /// 2004. The paper uses Gaussian weights for the pixels of a window. Here, all pixels of a window have the same
    /// weight.
    func measure(_ image: Image) throws -> (psnr: Double, ssim: Double) {
        let rgba = try ResultComparison.rgba(image)
        guard rgba.count / 4 == luma.count else { throw ScenarioError.disagree("sizes differ") }
        let other = Self.luma(rgba)
        let (c1, c2) = (6.5025, 58.5225)
        var (sum, windows) = (0.0, 0)
        for y in stride(from: 0, through: height - 8, by: 4) {
            for x in stride(from: 0, through: width - 8, by: 4) {
                var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for row in y..<y + 8 {
                    for place in row * width + x..<row * width + x + 8 {
                        let (left, right) = (luma[place], other[place])
                        a += left
                        b += right
                        aa += left * left
                        bb += right * right
                        ab += left * right
                    }
                }
                let (meanA, meanB) = (a / 64, b / 64)
                let (varianceA, varianceB) = (aa / 64 - meanA * meanA, bb / 64 - meanB * meanB)
                let covariance = ab / 64 - meanA * meanB
                sum +=
                    (2 * meanA * meanB + c1) * (2 * covariance + c2)
                    / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
                windows += 1
            }
        }
        return (ResultComparison.psnr(rgba, rgb), sum / Double(max(windows, 1)))
    }

    private static func luma(_ rgba: [UInt8]) -> [Double] {
        stride(from: 0, to: rgba.count, by: 4).map { place in
            let (red, green, blue) = (Double(rgba[place]), Double(rgba[place + 1]), Double(rgba[place + 2]))
            let warm: Double = 0.299 * red + 0.587 * green
            return warm + 0.114 * blue
        }
    }
}
