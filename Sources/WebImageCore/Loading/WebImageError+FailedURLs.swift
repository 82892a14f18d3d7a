extension WebImageError {
    /// Whether the URL itself causes the failure. In this case, every other attempt fails until the content on the
    /// server changes.
    ///
    /// False for failures that are temporary, and for failures that have other causes than the URL. Examples are the
    /// statuses 408, 425, 429 and 5xx, TLS and connection failures, cancels, and exceeded limits.
    package var shouldBlockURL: Bool {
        switch (code, underlying) {
        case (.invalidURL, _), (.badImageData, _): true
        case (.invalidDownloadStatusCode, .http(let status)): [404, 410, 451].contains(status)
        default: false
        }
    }
}
