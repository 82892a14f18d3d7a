// The module SDWebImage declares members of these names in a type of the same name, which hide those of this type
// there.

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
