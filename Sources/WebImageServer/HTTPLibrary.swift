import CWebImageHTTPShim
import WebImageCore

/// Loads the libmicrohttpd library when the first server is created.
enum HTTPLibrary {
    /// The reason why the library cannot be used; nil if it can be used. The first access loads the library, which
    /// takes a few milliseconds.
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
