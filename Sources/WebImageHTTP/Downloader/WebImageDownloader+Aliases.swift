// The module SDWebImage declares its own members `config` and `currentDownloadCount`. Inside SDWebImage, these members
// hide the members of the same names in this module. SDWebImage therefore uses the aliases below.

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
