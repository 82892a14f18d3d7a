import Foundation
import WebImageCore

/// Everything of a downloader that its requests are made of, as it was at one moment.
///
/// Made anew with every change, so that a load pays one reference for it, and what is the same for all is worked out
/// once.
final class DownloaderSettings: Sendable {
    /// What users set.
    struct Values: Sendable {
        var config: WebImageDownloaderConfig
        /// The fields of every request; its URL means nothing.
        var headers: WebImageRequest
        var requestModifier: (any WebImageDownloaderRequestModifierProtocol)?
        var responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
        var decryptor: (any WebImageDownloaderDecryptorProtocol)?
    }

    let values: Values
    /// How requests get to their servers.
    let route: CurlRoute
    let acceptance: ResponseAcceptance
    /// How much of a body stays in memory.
    let room: ReceivedBody.Room
    /// A header field that cannot be sent; nil when all can.
    let unsendableField: String?
    /// Whether something of the downloader's own may narrow who sees what it fetches; every memory hit asks.
    let mayNarrowScope: Bool
    /// Tells the downloader's jar of cookies from every other one.
    let cookieJar: String

    init(_ values: Values, engine: CurlEngine) {
        self.values = values
        cookieJar = engine.cookieJar
        let config = values.config
        route = CurlRoute(config)
        acceptance = ResponseAcceptance(
            statusCodes: config.acceptableStatusCodes, contentTypes: config.acceptableContentTypes)
        room = ReceivedBody.Room(
            maxBytesInMemory: max(config.maxBodyBytesInMemory, 0), folder: config.bodyFolder, blocks: engine.blocks)
        unsendableField = values.headers.unsendableField
        mayNarrowScope =
            WebImageDownloader.hasCredentials(values.headers) || values.requestModifier != nil
            || config.username != nil || config.clientCertificate != nil
    }

    var config: WebImageDownloaderConfig { values.config }
}

extension CurlRoute {
    /// The route that a configuration names.
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
    /// A proxy would resolve names itself, where no address can be checked.
    fileprivate var ignoresEnvironmentProxies: Bool { publicAddressesOnly || !usesEnvironmentProxies }
}

extension WebImageRequest {
    /// The name of a field that cannot be sent: a line break in it would let its author write further fields.
    var unsendableField: String? {
        func breaks(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }
        return allHTTPHeaderFields.first { field, value in
            field.isEmpty || field.utf8.contains { breaks($0) || $0 == UInt8(ascii: ":") }
                || value.utf8.contains(where: breaks)
        }?.key
    }
}
