public import Foundation

/// For authors of loaders: turning fetched bytes into images as the manager would.
public enum ImageLoaderDecoding {
    /// The image that options and context mean, by the context's coder or the shared ones. Blocks while it decodes.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`, naming the URL.
    public static func image(
        from data: Data, url: URL, options: WebImageOptions = [], context: WebImageContext? = nil
    ) throws(WebImageError) -> Image {
        do throws(WebImageError) {
            return try decoding(for: url, options: options, RequestContext(context)).decode(data)
        } catch {
            throw error.with(url: url)
        }
    }

    /// How a URL's picture is to be decoded; its scale comes from the cache key unless the context says it.
    public static func decodingOptions(
        for url: URL, options: WebImageOptions, context: WebImageContext?
    ) -> DecodingOptions {
        decoding(for: url, options: options, RequestContext(context)).options
    }

    static func decoding(for url: URL, options: WebImageOptions, _ context: RequestContext) -> ImageDecoding {
        let key = LoadKeys.base(url, filter: context.cacheKeyFilter) ?? url.absoluteString
        return ImageDecoding(options, context: context, key: key, thumbnail: context.thumbnail)
    }
}
