import Foundation

/// URLs that failed for a reason of their own and are not tried again in this process.
struct FailedURLs {
    private var errors: [URL: WebImageError] = [:]

    func contains(_ url: URL) -> Bool { errors[url] != nil }

    /// Why the URL failed.
    func reason(_ url: URL) -> WebImageError? { errors[url] }

    mutating func insert(_ url: URL, _ error: WebImageError) { errors[url] = error }

    mutating func remove(_ url: URL) { errors[url] = nil }

    mutating func removeAll() { errors.removeAll() }
}
