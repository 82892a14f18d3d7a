// The module SDWebImage declares members with the names `config` and `currentDownloadCount`, which hide these ones
// there; it uses the names below instead.

extension WebImageDownloader {
    /// An alias of ``config``.
    package var ownConfig: WebImageDownloaderConfig {
        get { config }
        set { config = newValue }
    }
}

extension WebImageDownloader {
    /// ``currentDownloadCount``.
    package var ownCurrentDownloadCount: Int { currentDownloadCount }
}
