import Foundation
import WebImageCore

/// The engine, clock and resume store shared by the downloads of one downloader.
struct DownloadEnvironment: Sendable {
    let engine: CurlEngine
    let clock: any DelayClock
    var resumeStore: ResumeStore?
}

/// Passes the events of one download to its downloader.
struct DownloadEvents: Sendable {
    weak let downloads: SharedDownloads?
    /// The number of the download in the queue.
    let number: Int
    let notifications: DownloadNotifications

    /// Reports the end, once, on the engine's thread or the download's queue.
    func end(_ ending: DownloadEnding) { downloads?.finish(number, ending) }

    /// Gives the slot back until ``resume()``.
    func pause() { downloads?.pause(number) }

    /// Requests a slot again.
    func resume() { downloads?.resume(number) }

    func post(_ moment: DownloadNotifications.Moment, _ download: SharedDownload) {
        guard let operation = download.operation else { return }
        notifications.post(moment, operation)
    }
}
