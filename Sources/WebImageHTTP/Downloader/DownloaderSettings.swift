import Foundation
import WebImageCore
import WebImageLoading

/// An immutable snapshot of all settings of a downloader that affect requests.
///
/// Every change of a setting creates a new snapshot. Each load refers to one snapshot. Values that are the same for all
/// loads are computed once for each snapshot.
final class DownloaderSettings: Sendable {
    /// The values that users of the downloader set.
    struct Values: Sendable {
        var config: WebImageDownloaderConfig
        /// A request with the header fields that every request receives. Its URL is not used.
        var headers: WebImageRequest
        var requestModifier: (any WebImageDownloaderRequestModifierProtocol)?
        var responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
        var decryptor: (any WebImageDownloaderDecryptorProtocol)?
    }

    let values: Values
    /// The proxy, credentials, certificates, policy and redirect limit of all requests.
    let route: CurlRoute
    let acceptance: ResponseAcceptance
    /// The maximum number of body bytes in memory, and the folder for longer bodies.
    let storage: ReceivedBody.Storage
    /// The name of a header field that cannot be sent; nil if all fields can be sent.
    let unsendableField: String?
    /// Whether loads may have a narrower scope than `.shared` because of the settings, for example because of
    /// credentials. This value is stored, because every memory hit reads it.
    let mayNarrowScope: Bool
    /// The name of the engine's cookie jar. It distinguishes this downloader's cookies from those of other downloaders.
    let cookieJar: String
    /// The parts of ``DownloadParameters/sharing`` that are equal for all loads without a request modifier.
    let sharingParts: DownloadParameters.SharingParts

    init(_ values: Values, engine: CurlEngine) {
        self.values = values
        cookieJar = engine.cookieJar
        let config = values.config
        route = CurlRoute(config)
        acceptance = ResponseAcceptance(
            statusCodes: config.acceptableStatusCodes, contentTypes: config.acceptableContentTypes)
        storage = ReceivedBody.Storage(
            maxBytesInMemory: max(config.maxBodyBytesInMemory, 0), folder: config.bodyFolder, blocks: engine.blocks)
        unsendableField = values.headers.unsendableField
        sharingParts = DownloadParameters.SharingParts(values.headers, route)
        mayNarrowScope =
            WebImageDownloader.hasCredentials(values.headers) || values.requestModifier != nil
            || config.username != nil || config.clientCertificate != nil
    }

    var config: WebImageDownloaderConfig { values.config }
}

extension CurlRoute {
    /// Makes the route from the connection settings of a configuration.
    convenience init(_ config: WebImageDownloaderConfig) {
        var members = Members()
        members.username = config.username
        members.password = config.password
        members.clientCertificate = config.clientCertificate
        members.certificateAuthorityFile = config.certificateAuthorityFile
        members.maxRedirects = max(config.maxRedirects, 0)
        members.policy = config.policy
        members.proxy = config.proxy ?? (config.policy?.ignoresEnvironmentProxies == true ? "" : nil)
        members.resolved = config.resolvedHosts
        self.init(members)
    }
}

extension DownloadPolicy {
    /// Whether the proxies of the environment are ignored. They are always ignored if only public addresses are
    /// allowed: a proxy resolves host names itself, so the addresses could not be checked.
    fileprivate var ignoresEnvironmentProxies: Bool { publicAddressesOnly || !usesEnvironmentProxies }
}

extension WebImageRequest {
    /// The name of a field that cannot be sent; nil if all fields can be sent. Line breaks are refused, because a value
    /// with a line break could add further fields to the request.
    var unsendableField: String? {
        func breaks(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }
        return allHTTPHeaderFields.first { field, value in
            field.isEmpty || field.utf8.contains { breaks($0) || $0 == UInt8(ascii: ":") }
                || value.utf8.contains(where: breaks)
        }?.key
    }
}

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
    ///
    /// - Parameter holdingHost: Whether other downloads from its host wait too.
    func pause(holdingHost: Bool) { downloads?.pause(number, holdingHost: holdingHost) }

    /// Puts the paused download back into the queue, where it waits for a slot.
    func resume() { downloads?.resume(number) }

    func post(_ moment: DownloadNotifications.Moment, _ download: SharedDownload) {
        guard let operation = download.operation else { return }
        notifications.post(moment, operation)
    }
}
