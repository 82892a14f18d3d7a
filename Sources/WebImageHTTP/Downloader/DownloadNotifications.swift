public import Foundation
import WebImageCore

extension Notification.Name {
    /// A download's first transfer was started. The object is the operation; posted asynchronously on the main queue.
    public static let webImageDownloadStart = Notification.Name("SDWebImageDownloadStartNotification")
    /// The head of the response was received and accepted.
    public static let webImageDownloadReceiveResponse = Notification.Name(
        "SDWebImageDownloadReceiveResponseNotification")
    /// A download succeeded, failed or was cancelled.
    public static let webImageDownloadStop = Notification.Name("SDWebImageDownloadStopNotification")
    /// A download succeeded; posted right after ``webImageDownloadStop``.
    public static let webImageDownloadFinish = Notification.Name("SDWebImageDownloadFinishNotification")
}

/// Posts notifications on the main queue. At most 2000 wait, because most servers do not run that queue.
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
    private struct State {
        var waiting: [Entry] = []
        var isScheduled = false
    }

    private static let maxWaiting = 2000
    private let state = Locked(State())

    func post(_ moment: Moment, _ operation: any WebImageDownloaderOperationProtocol) {
        let isFirst = state.withLock { state in
            guard state.waiting.count < Self.maxWaiting else { return false }
            state.waiting.append((moment, operation))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { DispatchQueue.main.async { self.flush() } }
    }

    private func flush() {
        let entries = state.withLock { state in
            defer { (state.waiting, state.isScheduled) = ([], false) }
            return state.waiting
        }
        for entry in entries { NotificationCenter.default.post(name: entry.moment.name, object: entry.operation) }
    }
}
