public import Foundation
public import WebImageCore

/// Loads `base64:` URLs. The text after the scheme is an image as base64 text, in the standard or the URL-safe
/// alphabet.
public final class Base64ImageLoader: ImageLoader {
    /// The loader accepts only `base64:` URLs.
    public let capabilities = LoaderCapabilities(ownSchemes: ["base64"])
    private let inner = DataURLImageLoader()

    /// Creates a loader. A loader has no state.
    public init() {}

    /// Returns the `base64:` URL of a base64 text. Line ends in the text are removed.
    public static func url(_ text: String) -> URL? { URL(webAddress: "base64:" + text) }

    /// Decodes the text on a queue of the loader.
    ///
    /// - Throws: the same errors as ``DataURLImageLoader/loadData(for:progress:)``.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let payload = load.url.absoluteString.drop { $0 != ":" }.dropFirst()
        var spelled = load
        guard let url = URL(string: "data:application/octet-stream;base64," + payload) else {
            throw WebImageError(.invalidURL, stage: .request, url: load.url)
        }
        spelled.url = url
        do throws(WebImageError) {
            var result = try await inner.loadData(for: spelled) { received, expected, _ in
                progress?(received, expected, load.url)
            }
            (result.response.url, result.response.mimeType) = (load.url, nil)
            return result
        } catch {
            var error = error
            error.url = load.url
            throw error
        }
    }
}
