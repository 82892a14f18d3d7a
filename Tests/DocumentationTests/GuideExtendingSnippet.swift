import Foundation
import WebImage

// snippet: guide-transformer
/// Lightens a picture with a veil of white. The key must contain every parameter.
struct VeilTransformer: ImageTransformer {
    var opacity: Double

    var transformerKey: String { String(format: "VeilTransformer(%f)", opacity) }

    func transformedImage(with image: Image, forKey key: String) -> Image? {
        image.tintedImage(with: ImageColor(white: 1, alpha: opacity), blendMode: .normal)
    }
}

func loadVeiled(_ url: URL) async throws(WebImageError) -> Image {
    let round = ImageRoundCornerTransformer(radius: 12, corners: .allCorners, borderWidth: 0, borderColor: nil)
    let both = ImagePipelineTransformer(transformers: [VeilTransformer(opacity: 0.3), round])
    return try await WebImageManager.shared.image(for: url, context: [.imageTransformer: both])
}
// end

// snippet: guide-frames
/// Returns size and duration of each frame of an animation. Decodes on the calling thread.
func describe(_ file: Data) -> [String] {
    guard let animation = AnimatedImage(data: file) else { return [] }
    return (0..<animation.animatedImageFrameCount).compactMap { index in
        animation.animatedImageFrame(at: index).map { frame in
            "\(index): \(frame.pixelSize), \(animation.animatedImageDuration(at: index)) s"
        }
    }
}
// end

// snippet: guide-encode
/// Returns a WebP that alternates between two pictures, 0.5 s each, in an endless loop.
func blink(_ first: Image, _ second: Image) throws(WebImageError) -> Data {
    let frames = [first, second].map { ImageFrame(image: $0, duration: 0.5) }
    return try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .webP, options: EncodingOptions())
}
// end

// snippet: guide-log
/// Writes every stage of every load to standard error; `WEBIMAGE_LOG=debug` in the environment does the same.
func logEverything() {
    WebImageLog.shared.destination = StandardErrorLogger(minimum: .debug)
    WebImageManager.shared.listener = WebImageLoadLogger()
}
// end

// snippet: guide-errors
/// Prints the cause of a failed load and the next step.
func explain(_ url: URL) async {
    do throws(WebImageError) {
        _ = try await WebImageManager.shared.image(for: url)
    } catch {
        switch error.code {
        case .cancelled: break
        case .transport: print("the network:", error.underlying.map(\.description) ?? "")
        case .badImageData, .unsupportedFormat: print("not a picture this program reads:", error.hint ?? "")
        default: print(error)
        }
    }
}
// end

// snippet: guide-nuke
/// Receives all events of one load: the size, the progress, the partial images and the final picture.
func follow(_ url: URL) async throws(WebImageError) {
    for try await event in WebImageManager.shared.events(for: url, options: .progressiveLoad) {
        switch event {
        case .size(let size): print("it will be", size)
        case .progress(let received, let expected): print(received, expected)
        case .partial(let image): print("shows", image.pixelSize)
        case .cached(let result): print("had", result.image.pixelSize)
        case .finished(let result): print("is", result.image.pixelSize, result.cacheType)
        }
    }
}
// end
