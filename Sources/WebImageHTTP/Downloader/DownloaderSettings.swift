import Foundation
import WebImageCore

/// A snapshot of all downloader settings that requests depend on.
///
/// Created again with every change. A load keeps one reference to it, and values that are the same for all loads are
/// computed once.
final class DownloaderSettings: Sendable {
    /// The values that users set.
    struct Values: Sendable {
        var config: WebImageDownloaderConfig
        /// The header fields of every request; the URL is not used.
        var headers: WebImageRequest
        var requestModifier: (any WebImageDownloaderRequestModifierProtocol)?
        var responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
        var decryptor: (any WebImageDownloaderDecryptorProtocol)?
    }

    let values: Values
    /// The route of all requests.
    let route: CurlRoute
    let acceptance: ResponseAcceptance
    /// The limit of body bytes in memory, and the place of the rest.
    let storage: ReceivedBody.Storage
    /// A header field that cannot be sent; nil when all can.
    let unsendableField: String?
    /// Whether the downloader's settings may narrow the scope of its downloads; read for every memory hit.
    let mayNarrowScope: Bool
    /// The name that distinguishes this downloader's cookies from those of others.
    let cookieJar: String

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
        mayNarrowScope =
            WebImageDownloader.hasCredentials(values.headers) || values.requestModifier != nil
            || config.username != nil || config.clientCertificate != nil
    }

    var config: WebImageDownloaderConfig { values.config }
}

extension CurlRoute {
    /// Makes the route of a configuration.
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
    /// A proxy resolves names itself, so no address could be checked.
    fileprivate var ignoresEnvironmentProxies: Bool { publicAddressesOnly || !usesEnvironmentProxies }
}

extension WebImageRequest {
    /// The name of a field that cannot be sent; nil when all can. A line break would let a value add further fields.
    var unsendableField: String? {
        func breaks(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }
        return allHTTPHeaderFields.first { field, value in
            field.isEmpty || field.utf8.contains { breaks($0) || $0 == UInt8(ascii: ":") }
                || value.utf8.contains(where: breaks)
        }?.key
    }
}
