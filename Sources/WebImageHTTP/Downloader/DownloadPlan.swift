import Foundation
import WebImageCore

/// The parameters of one load for a downloader; a class, because queues, transfers and waiting tasks share it.
final class DownloadPlan: Sendable {
    let settings: DownloaderSettings
    let transfer: CurlTransferRequest
    let responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
    let decryptor: (any WebImageDownloaderDecryptorProtocol)?
    let options: WebImageOptions
    let context: RequestContext
    let cacheScope: CacheScope
    /// The validators, sent beside the request's own fields; they allow the server to answer 304.
    let validators: [String: String]
    /// The URL of the load, before a modifier changed it.
    let requestedURL: URL
    private let urlText: String

    init(
        _ load: ImageDataLoad, _ transfer: CurlTransferRequest, _ cacheScope: CacheScope, _ settings: DownloaderSettings
    ) {
        self.settings = settings
        self.transfer = transfer
        self.cacheScope = cacheScope
        responseModifier =
            load.requestContext.responseModifier
            ?? settings.values.responseModifier
        decryptor =
            load.requestContext.decryptor
            ?? settings.values.decryptor
        options = load.options
        context = load.requestContext
        validators = [:]
        requestedURL = load.url
        urlText = transfer.request.url.absoluteString
    }

    /// The same plan with validators that revalidate the cached body.
    init(_ plan: DownloadPlan, validators: [String: String]) {
        settings = plan.settings
        transfer = plan.transfer
        cacheScope = plan.cacheScope
        responseModifier = plan.responseModifier
        decryptor = plan.decryptor
        options = plan.options
        context = plan.context
        self.validators = validators
        requestedURL = plan.requestedURL
        urlText = plan.urlText
    }

    var url: URL { transfer.request.url }
    /// The host in its canonical spelling, as the URL is canonical.
    var host: String { url.host() ?? "" }

    var operationClass: any WebImageDownloaderOperationProtocol.Type {
        settings.values.config.operationClass ?? WebImageDownloaderOperation.self
    }

    var retry: (any DownloadRetryStrategy)? { settings.values.config.retryStrategy }

    /// The deadline of the whole download, including all attempts and waits.
    var deadline: Duration? {
        settings.values.config.downloadDeadline.flatMap { $0 > 0 ? .seconds(min($0, 1e9)) : nil }
    }

    /// Whether several loads may share the download.
    private var isShared: Bool { cacheScope != .unstored }

    /// Whether a broken download may be continued: its stored bytes belong to a scope that a later load can match, and
    /// no caller set a range.
    var isResumable: Bool {
        isShared && validators.isEmpty
            && transfer.request.httpMethod == "GET" && transfer.request.httpBody == nil
            && transfer.request.value(forHTTPHeaderField: "Range") == nil
    }
}

extension DownloadPlan {
    /// The properties that two loads must have in common to share a download.
    struct Key: Hashable, Sendable {
        let plan: DownloadPlan

        static func == (left: Key, right: Key) -> Bool {
            left.plan === right.plan || left.plan.yieldsTheSame(as: right.plan)
        }

        /// The URL is enough: most keys differ in it, and few exist at a time.
        func hash(into hasher: inout Hasher) { hasher.combine(plan.urlText) }
    }

    private func yieldsTheSame(as other: DownloadPlan) -> Bool {
        guard urlText == other.urlText, isShared, other.isShared, cacheScope == other.cacheScope,
            validators == other.validators, transfer.yieldsTheSame(as: other.transfer),
            settings === other.settings || settings.acceptance == other.settings.acceptance,
            ObjectIdentifier(operationClass) == ObjectIdentifier(other.operationClass)
        else { return false }
        return responseModifier.map(RoleIdentity.init) == other.responseModifier.map(RoleIdentity.init)
            && decryptor.map(RoleIdentity.init) == other.decryptor.map(RoleIdentity.init)
    }
}

extension CurlTransferRequest {
    /// The timeout and priority of the first subscriber apply. They do not affect the bytes, so they are not part of
    /// the identity.
    fileprivate func yieldsTheSame(as other: CurlTransferRequest) -> Bool {
        var request = request
        request.timeoutInterval = other.request.timeoutInterval
        return request == other.request && route == other.route
    }
}
