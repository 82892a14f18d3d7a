import CWebImageHTTPShim
import WebImageCore

/// libmicrohttpd, loaded by the first server.
enum HTTPLibrary {
    /// Why there is none; nil when it can be used. The first call loads it, which takes some milliseconds.
    static let failure = load("libmicrohttpd.so.12")

    static func load(_ name: String) -> HTTPServerError? {
        do throws(WebImageError) {
            try SharedLibrary.load(name, package: "libmicrohttpd12") { webimage_http_bind($0) }
            return nil
        } catch {
            let words = if case .codec(_, let message) = error.underlying { message } else { "cannot be loaded" }
            return HTTPServerError("\(name): \(words). \(error.hint ?? "")")
        }
    }
}
