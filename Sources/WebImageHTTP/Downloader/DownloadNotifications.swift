public import Foundation
import WebImageCore

extension Notification.Name {
    /// Posted before the first transfer of a download starts. The notification's object is the download's operation.
    /// All notifications of downloads are posted asynchronously on the main queue.
    public static let webImageDownloadStart = Notification.Name("SDWebImageDownloadStartNotification")
    /// Posted when a response head was received and not refused. With a response modifier, the head is checked later,
    /// after the transfer has ended.
    public static let webImageDownloadReceiveResponse = Notification.Name(
        "SDWebImageDownloadReceiveResponseNotification")
    /// Posted when a download succeeded, failed or was cancelled.
    public static let webImageDownloadStop = Notification.Name("SDWebImageDownloadStopNotification")
    /// Posted when a download succeeded, directly after ``webImageDownloadStop``.
    public static let webImageDownloadFinish = Notification.Name("SDWebImageDownloadFinishNotification")
}

/// Posts the notifications of downloads on the main queue. At most 2000 notifications wait; further notifications are
/// dropped. Most server programs never run the main queue, so without this limit the notifications would accumulate.
final class DownloadNotifications: Sendable {
    enum Moment {
        case start
        case receiveResponse
        case stop
        case finish

        var name: Notification.Name {
            switch self {
            case .start: .webImageDownloadStart
            case .receiveResponse: .webImageDownloadReceiveResponse
            case .stop: .webImageDownloadStop
            case .finish: .webImageDownloadFinish
            }
        }
    }

    private typealias Entry = (moment: Moment, operation: any WebImageDownloaderOperationProtocol)
    private static let maxWaiting = 2000
    private let flush = Locked(PendingFlush<Entry>())

    func post(_ moment: Moment, _ operation: any WebImageDownloaderOperationProtocol) {
        let isFirst = flush.withLock { flush in
            flush.waiting.count < Self.maxWaiting && flush.add((moment, operation))
        }
        guard isFirst else { return }
        DispatchQueue.main.async {
            for entry in self.flush.withLock({ $0.takeAll() }) {
                NotificationCenter.default.post(name: entry.moment.name, object: entry.operation)
            }
        }
    }
}
