// The module SDWebImage declares its own members `config` and `currentDownloadCount`. Inside that module they hide
// the members of this one, so it uses the aliases below.

extension WebImageDownloader {
    /// An alias of ``config``.
    package var ownConfig: WebImageDownloaderConfig {
        get { config }
        set { config = newValue }
    }
}

extension WebImageDownloader {
    /// An alias of ``currentDownloadCount``.
    package var ownCurrentDownloadCount: Int { currentDownloadCount }
}
