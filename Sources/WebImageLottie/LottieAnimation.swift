import CWebImageLottie
import Foundation
import WebImageCore
import WebImageGraphics

/// One opened document. A lock protects rlottie's animation, so only one thread at a time draws.
final class LottieAnimation: AnimationSource {
    let data: Data
    let info: ImageInfo
    private let options: DecodingOptions
    private let size: PixelSize
    private let open: Locked<OpenedLottie>

    init(_ data: Data, options: DecodingOptions) throws(WebImageError) {
        try options.limits.checkEncodedBytes(data.count)
        let file = try LottieFile(data, limits: options.limits)
        let info = try file.info(options.limits)
        (self.data, self.info, self.options) = (data, info, options)
        size = options.vectorSize(for: info.storedSize)
        try options.limits.checkPixels(size)
        try options.limits.checkDecodeBytes(size.byteCount(8))
        open = Locked(try OpenedLottie(file))
    }

    func frame(at index: Int) throws(WebImageError) -> Image {
        try checkIndex(index)
        let deadline = DecodeDeadline(options.limits)
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        try open.withLock { opened throws(WebImageError) in
            try deadline.check()
            opened.draw(index, into: pixels)
        }
        try deadline.check()
        return try DecodedPicture.drawn(
            pixels, hasAlpha: true, format: .lottie, of: info.storedSize, options: options)
    }
}

/// Owns one animation of rlottie.
private final class OpenedLottie {
    private let rlottie: LottieFunctions
    private let animation: OpaquePointer
    private let frameCount: Int

    init(_ file: LottieFile) throws(WebImageError) {
        rlottie = try LottieLibrary.functions()
        // An empty key: rlottie keeps no copy of the document.
        guard let animation = rlottie.lottie_animation_from_data(file.text, "", "") else {
            throw .badData("rlottie", "the animation cannot be read", hint: "Fetch the file again.")
        }
        self.animation = animation
        frameCount = Int(rlottie.lottie_animation_get_totalframe(animation))
        HandleLedger.opened("rlottie")
    }

    deinit {
        rlottie.lottie_animation_destroy(animation)
        HandleLedger.closed("rlottie")
    }

    /// Draws a frame. rlottie clears the pixels first.
    func draw(_ index: Int, into pixels: PixelBuffer) {
        rlottie.lottie_animation_render(
            animation, min(index, max(frameCount - 1, 0)), pixels.baseAddress.assumingMemoryBound(to: UInt32.self),
            pixels.width, pixels.height, pixels.bytesPerRow)
    }
}
