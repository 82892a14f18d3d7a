import Foundation
import WebImageCore

/// One transfer among those of a download; passes on what it yields until the next one begins.
final class DownloadLeg: WebImageDownloaderSink {
    /// The request as it is sent.
    let transfer: CurlTransferRequest
    /// What this transfer is to continue.
    let prefix: PartialBody?
    /// Seconds since 1970.
    let sentAt: TimeInterval
    private let download: SharedDownload

    init(_ transfer: CurlTransferRequest, prefix: PartialBody?, sentAt: TimeInterval, download: SharedDownload) {
        self.transfer = transfer
        self.prefix = prefix
        self.sentAt = sentAt
        self.download = download
    }

    func transferDidReceive(head: WebImageResponse) -> WebImageError? { download.leg(self, didReceive: head) }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? { download.leg(self, didReceive: bytes) }

    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) { download.leg(self, didEnd: result) }
}
