// The module of the original's names declares a member of this name in the original's type; inside it that hides this.

extension WebImageDownloader {
    /// ``config``.
    package var ownConfig: WebImageDownloaderConfig {
        get { config }
        set { config = newValue }
    }
}

extension WebImageDownloader {
    /// ``currentDownloadCount``.
    package var ownCurrentDownloadCount: Int { currentDownloadCount }
}
