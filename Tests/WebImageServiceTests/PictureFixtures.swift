import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageService

/// Generates source images and decodes the results of the service.
enum PictureFixtures {
    typealias Pixel = (UInt8, UInt8, UInt8, UInt8)

    static let red: Pixel = (0, 0, 255, 255)
    static let green: Pixel = (0, 255, 0, 255)
    static let blue: Pixel = (255, 0, 0, 255)
    static let white: Pixel = (255, 255, 255, 255)
    static let clear: Pixel = (0, 0, 0, 0)

    static func png(
        _ width: Int, _ height: Int, hasAlpha: Bool = false, _ pixel: (Int, Int) -> Pixel
    ) throws -> Data {
        try encoded(try Image.generated(width: width, height: height, pixel: pixel), .png, hasAlpha: hasAlpha)
    }

    /// Returns an image of four quadrants: red (top left), green (top right), blue (bottom left), white (bottom right).
    static func quadrants(_ width: Int = 80, _ height: Int = 60) throws -> Data {
        try png(width, height) { x, y in
            y < height / 2 ? (x < width / 2 ? red : green) : (x < width / 2 ? blue : white)
        }
    }

    static func encoded(_ image: Image, _ format: ImageFormat, hasAlpha: Bool = false) throws -> Data {
        let image = Image(pixels: image.pixels, hasAlpha: hasAlpha)
        var options = EncodingOptions()
        options.quality = 0.95
        return try ImageCodersManager.shared.encode(image, format: format, options: options)
    }

    /// Returns an animation whose frames alternate between red and blue.
    static func animation(_ format: ImageFormat = .gif, frames: Int = 2, side: Int = 32) throws -> Data {
        try ImageCodersManager.shared.encode(
            frameCount: frames, loopCount: 3, format: format, options: EncodingOptions()
        ) { index throws(WebImageError) in
            ImageFrame(
                image: try Image.generated(width: side, height: side) { _, _ in index % 2 == 0 ? red : blue },
                duration: 0.1)
        }
    }

    static func options(_ text: String) throws -> ProcessingOptions {
        try ImgproxyRouter().parse("/_/\(text)/plain/a"[...]).options
    }

    /// Returns the result that the service renders from a source with options. The result is a PNG unless the options
    /// name a format.
    static func make(
        _ text: String, from source: Data, accepted: AcceptedFormats = [], settings: OutputSettings = OutputSettings(),
        watermark: WatermarkSource? = nil
    ) throws -> EncodedResult {
        var resultRenderer = ResultRenderer(options: try options(text))
        resultRenderer.accepted = accepted
        resultRenderer.settings = settings
        resultRenderer.watermark = watermark
        return try resultRenderer.make(from: source)
    }

    static func look(at picture: EncodedResult) throws -> Look {
        Look(image: try ImageCodersManager.shared.decode(picture.data, options: DecodingOptions()))
    }
}

/// The pixels of a result.
struct Look {
    let image: Image

    var size: String { image.pixelSize.description }

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        image.pixels.withUnsafeBytes { bytes in
            let place = y * image.pixels.bytesPerRow + x * 4
            return Array(bytes[place..<place + 4])
        }
    }

    /// Returns whether a pixel has the given colour. Each channel may differ by at most `tolerance`.
    func shows(_ color: PictureFixtures.Pixel, _ x: Int, _ y: Int, tolerance: Int = 3) -> Bool {
        zip(pixel(x, y), [color.0, color.1, color.2, color.3]).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}

extension ResultRenderer {
    /// Makes a result without a limit of time.
    func make(from source: Data, sharing: Sharing? = nil) throws -> EncodedResult {
        try make(from: source, sharing: sharing, budget: WorkBudget(time: nil))
    }
}
