import CWebImageJPEGThumbnail
package import WebImageCore

/// Decides on how many threads libjpeg-turbo decodes one picture (`Documentation/Decisions/jpeg-strips.md`).
package enum JPEGStrips {
    /// When a picture is decoded in strips.
    package enum Use: Sendable {
        /// A picture of at least ``leastPixels`` pixels, if threads of the ``DecodePool`` are idle, in a release build.
        case whereIdle
        /// Every picture, on this number of threads. If `isRequired` is true, a file that has no strips is an error.
        case always(threads: Int, isRequired: Bool = false)
    }

    /// Tests change this value.
    @TaskLocal package static var use = Use.whereIdle

    /// A smaller picture takes less than about 20 ms.
    static let leastPixels = 8_000_000

    /// More threads save little: the search for the starts of the strips takes about a tenth of a decode.
    static let mostThreads = 8

    /// Calls `body` with the number of threads for a picture of `size`.
    package static func withThreads<Value>(
        for size: PixelSize, _ body: (Int) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        if case .always(let threads, _) = use { return try body(threads) }
        // Without the optimiser, the search takes longer than the decode.
        guard size.width * size.height >= leastPixels, webimage_jpeg_thumbnail_is_optimized() != 0 else {
            return try body(1)
        }
        return try DecodePool.withIdleThreads(mostThreads, body)
    }
}
