public import Foundation
public import WebImageCore

/// Decodes fetched bytes for custom loaders, with the same parameters as the manager.
public enum ImageLoaderDecoding {
    /// Decodes an image with the context's coder or the shared coders. Blocks the calling thread.
    ///
    /// - Throws: the error of the decode together with the URL: for example, `.badImageData` if no coder can decode the
    ///   data, or `.limitExceeded` if the image exceeds a limit.
    public static func image(
        from data: Data, url: URL, options: WebImageOptions = [], context: WebImageContext? = nil
    ) throws(WebImageError) -> Image {
        do throws(WebImageError) {
            return try decoding(for: ImageRequest(url: url, options: options, context: context)).decode(data)
        } catch {
            throw error.with(url: url)
        }
    }

    /// Returns the decoding parameters for the image of a URL. The scale comes from the context. If the context has no
    /// scale, the scale comes from the cache key.
    public static func decodingOptions(
        for url: URL, options: WebImageOptions, context: WebImageContext?
    ) -> DecodingOptions {
        decoding(for: ImageRequest(url: url, options: options, context: context)).options
    }

    static func decoding(for request: ImageRequest) -> ImageDecoding {
        let key = LoadKeys.base(request.url, filter: request.cacheKeyFilter) ?? request.url.absoluteString
        var decoding = ImageDecoding(
            request.options, context: request.values, key: key, thumbnail: request.values.thumbnail)
        decoding.owner = FileOwner(request.values.cacheScope ?? .shared)
        return decoding
    }
}

extension ImageDataLoad {
    /// Whether bytes can be a picture: their format is known, or the coder of the load recognises them. A picture of a known
    /// format without a coder here can be valid for another program. Reads the first bytes.
    package func recognizes(_ data: Data) -> Bool {
        ImageFormat(sniffing: data) != .undefined
            || (request.values.coder ?? ImageCodersManager.shared).canDecode(from: data)
    }

    /// Whether bytes are a picture. False only if a coder has found that they are none; true after any other failure, such
    /// as a limit, a missing coder or a cancel. Decodes the first frame on the decode pool, as small as the format allows.
    package func decodes(_ data: Data) async -> Bool {
        guard recognizes(data) else { return false }
        do throws(WebImageError) {
            try await tryDecoding(data)
            return true
        } catch {
            return error.code != .badImageData && !error.crashedDecoder
        }
    }

    /// Decodes the first frame on the decode pool, as small as the format allows.
    ///
    /// - Throws: The errors of the coder. `.cancelled` after a cancel.
    package func tryDecoding(_ data: Data) async throws(WebImageError) {
        var decoding = ImageLoaderDecoding.decoding(for: request)
        decoding.animatedClass = nil
        decoding.options.firstFrameOnly = true
        decoding.options.thumbnailPixelSize = PixelSize(width: 16, height: 16)
        _ = try await DecodePool.shared.run(measuring: { [decoding] in decoding.cost(of: data) }) {
            [decoding] () throws(WebImageError) in try decoding.decode(data)
        }
    }

    /// Whether no registered coder can decode bytes whose decode has failed. False after a cancel.
    package func isUndecodable(_ data: Data, after error: WebImageError) async -> Bool {
        let decoding = ImageLoaderDecoding.decoding(for: request)
        do throws(WebImageError) {
            return try await DecodePool.shared.run(measuring: { decoding.cost(of: data) }) {
                decoding.isUndecodable(data, after: error)
            }
        } catch {
            return false
        }
    }
}
