extension WebImageError {
    /// Whether the URL itself is at fault, so that trying again is useless until the server changes.
    ///
    /// Never for what passes by itself: 408, 425, 429, 5xx, TLS and connection failures, cancels, limits that fired.
    package var shouldBlockURL: Bool {
        switch (code, underlying) {
        case (.invalidURL, _), (.badImageData, _): true
        case (.invalidDownloadStatusCode, .http(let status)): [404, 410, 451].contains(status)
        default: false
        }
    }
}
