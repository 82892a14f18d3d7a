import Foundation
import WebImageCore

/// What downloads of one downloader work with.
struct DownloadEnvironment: Sendable {
    let engine: CurlEngine
    let clock: any DelayClock
    var resumeStore: ResumeStore?
}

/// What a download tells the downloader it belongs to.
struct DownloadEvents: Sendable {
    /// The end, once, on the engine's thread or the download's queue.
    let end: @Sendable (DownloadSubscriber.Outcome) -> Void
    /// It gives its slot back for a while.
    let pause: @Sendable () -> Void
    /// It wants a slot again.
    let resume: @Sendable () -> Void
    let notifications: DownloadNotifications?

    func post(_ moment: DownloadNotifications.Moment, _ download: SharedDownload) {
        guard let notifications, let operation = download.operation else { return }
        notifications.post(moment, operation)
    }
}
