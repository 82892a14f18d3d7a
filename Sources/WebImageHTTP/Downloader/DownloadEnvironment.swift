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
    weak let downloads: SharedDownloads?
    /// What it is called there.
    let number: Int
    let notifications: DownloadNotifications

    /// The end, once, on the engine's thread or the download's queue.
    func end(_ ending: DownloadEnding) { downloads?.finish(number, ending) }

    /// It gives its slot back for a while.
    func pause() { downloads?.pause(number) }

    /// It wants a slot again.
    func resume() { downloads?.resume(number) }

    func post(_ moment: DownloadNotifications.Moment, _ download: SharedDownload) {
        guard let operation = download.operation else { return }
        notifications.post(moment, operation)
    }
}
