public import Foundation

/// Decoding for custom loaders: decodes fetched bytes as the manager does.
public enum ImageLoaderDecoding {
    /// Decodes an image with the context's coder or the shared coders. Blocks the calling thread.
    ///
    /// - Throws: `.badImageData` or `.limitExceeded`, with the URL.
    public static func image(
        from data: Data, url: URL, options: WebImageOptions = [], context: WebImageContext? = nil
    ) throws(WebImageError) -> Image {
        do throws(WebImageError) {
            return try decoding(for: url, options: options, RequestContext(context)).decode(data)
        } catch {
            throw error.with(url: url)
        }
    }

    /// Returns the decoding parameters of a URL's image. The scale is that of the context, otherwise that of the
    /// cache key.
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
