public import Foundation

/// For authors of loaders: turning fetched bytes into images as the manager would.
public enum ImageLoaderDecoding {
    /// The image that options and context mean, by the context's coder or the shared ones. Blocks while it decodes.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`, naming the URL.
    public static func image(
        from data: Data, url: URL, options: WebImageOptions = [], context: WebImageContext? = nil
    ) throws(WebImageError) -> Image {
        let coder = context?.read(.imageCoder, as: (any ImageCoder).self) ?? ImageCodersManager.shared
        let decoding = decodingOptions(for: url, options: options, context: context)
        do throws(WebImageError) {
            let image = try coder.decodeWithReason(data, options: decoding)
            image.decodingOptions = decoding
            return image
        } catch {
            throw error.with(url: url)
        }
    }

    /// How a URL's picture is to be decoded; its scale comes from the cache key unless the context says it.
    public static func decodingOptions(
        for url: URL, options: WebImageOptions, context: WebImageContext?
    ) -> DecodingOptions {
        let key = LoadPlan.originalKey(url, context: context, filter: nil) ?? url.absoluteString
        var decoding = CacheDecoding.options(key: key, options: options, context: context)
        if options.contains(.scaleDownLargeImages), decoding.scaleDownLimitBytes == nil {
            decoding.scaleDownLimitBytes = ImageScaling.defaultScaleDownLimitBytes
        }
        return decoding
    }
}
