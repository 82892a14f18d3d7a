import Foundation
import WebImageCore

/// The engine, clock and resume store that the downloads of one downloader share.
struct DownloadEnvironment: Sendable {
    let engine: CurlEngine
    let clock: any DelayClock
    var resumeStore: ResumeStore?
}

/// Passes the events of one download to the ``SharedDownloads`` object that runs the download.
struct DownloadEvents: Sendable {
    weak let downloads: SharedDownloads?
    /// The number of the download in the queue.
    let number: Int
    let notifications: DownloadNotifications

    /// Reports the end of the download. Called once for each download. The caller runs on the engine's thread, on the
    /// download's queue or on the thread of a timer.
    func end(_ ending: DownloadEnding) { downloads?.finish(number, ending) }

    /// Frees the download's slot for other downloads until ``resume()``.
    func pause() { downloads?.pause(number) }

    /// Puts the paused download back into the queue, where it waits for a slot.
    func resume() { downloads?.resume(number) }

    func post(_ moment: DownloadNotifications.Moment, _ download: SharedDownload) {
        guard let operation = download.operation else { return }
        notifications.post(moment, operation)
    }
}
