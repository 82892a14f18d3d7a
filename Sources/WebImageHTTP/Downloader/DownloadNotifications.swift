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

/// Posts the notifications of downloads on the main queue, in the order of the calls. At most 2000 notifications wait;
/// further notifications are dropped. Most server programs never run the main queue, so without this limit the
/// notifications would accumulate.
///
/// Notifications that wait together are posted by one block of the main queue. A start begins another block: a download
/// often starts because an earlier one has put its completion on the main queue, and must not be announced before this
/// completion runs.
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

    private struct Waiting {
        /// The notifications of each block of the main queue that has not run yet.
        var blocks: [[Entry]] = []
        var count = 0

        /// Returns whether the caller must schedule a block.
        mutating func add(_ entry: Entry) -> Bool {
            count += 1
            if let last = blocks.indices.last, entry.moment != .start {
                blocks[last].append(entry)
                return false
            }
            blocks.append([entry])
            return true
        }

        mutating func takeBlock() -> [Entry] {
            guard !blocks.isEmpty else { return [] }
            let block = blocks.removeFirst()
            count -= block.count
            return block
        }
    }

    private let waiting = Locked(Waiting())

    func post(_ moment: Moment, _ operation: any WebImageDownloaderOperationProtocol) {
        let isNewBlock = waiting.withLock { waiting in
            waiting.count < Self.maxWaiting && waiting.add((moment, operation))
        }
        guard isNewBlock else { return }
        DispatchQueue.main.async {
            for entry in self.waiting.withLock({ $0.takeBlock() }) {
                NotificationCenter.default.post(name: entry.moment.name, object: entry.operation)
            }
        }
    }
}
