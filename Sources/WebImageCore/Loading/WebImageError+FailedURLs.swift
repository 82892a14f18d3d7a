extension WebImageError {
    /// Whether the URL itself is at fault. Another attempt fails too until the content on the server changes.
    ///
    /// False for failures that are temporary or do not depend on the URL alone: 408, 425, 429, 5xx, TLS and connection
    /// failures, cancels, exceeded limits.
    package var shouldBlockURL: Bool {
        switch (code, underlying) {
        case (.invalidURL, _), (.badImageData, _): true
        case (.invalidDownloadStatusCode, .http(let status)): [404, 410, 451].contains(status)
        default: false
        }
    }
}
