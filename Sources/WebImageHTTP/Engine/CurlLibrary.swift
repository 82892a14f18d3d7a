import CWebImageCurl
import CWebImageCurlShim
import WebImageCore

/// Loads and initialises libcurl at the first download. Loading libcurl and its dependencies at program start would
/// double the start time.
enum CurlLibrary {
    /// The reason why libcurl cannot be used; nil if it can be used. The first read loads libcurl, which takes some
    /// milliseconds.
    static let failure = load(CURL_LIBRARY)

    static func load(_ name: String) -> WebImageError? {
        do throws(WebImageError) {
            try SharedLibrary.load(name, package: "libcurl4") { webimage_curl_bind($0) }
        } catch {
            return WebImageError(
                .invalidDownloadOperation, stage: .download, underlying: error.underlying, hint: error.hint)
        }
        let code = webimage_curl_global_init(Int(CURL_GLOBAL_ALL))
        guard code != CURLE_OK else { return nil }
        return WebImageError(
            .invalidDownloadOperation, stage: .download,
            underlying: .curl(code: Int(code.rawValue), message: String(cString: webimage_curl_easy_strerror(code))))
    }
}
