import Foundation
import WebImageCore

/// Everything one load asks of a downloader; a reference, since queues, transfers and waiting tasks hand it about.
final class DownloadPlan: Sendable {
    let settings: DownloaderSettings
    let transfer: CurlTransferRequest
    let responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
    let decryptor: (any WebImageDownloaderDecryptorProtocol)?
    let options: WebImageOptions
    let context: RequestContext
    let cacheScope: CacheScope
    /// The fields by which the server may answer 304; sent beside the request's own.
    let validators: [String: String]
    /// The URL that was asked for, whatever a modifier made of it.
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

    /// The same, asking the server whether what is cached still holds.
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
    /// The same for every spelling of a host, as the URL is in the canonical one.
    var host: String { url.host() ?? "" }

    var operationClass: any WebImageDownloaderOperationProtocol.Type {
        settings.values.config.operationClass ?? WebImageDownloaderOperation.self
    }

    var retry: (any DownloadRetryStrategy)? { settings.values.config.retryStrategy }

    /// For the whole of it, attempts and waits included.
    var deadline: Duration? {
        settings.values.config.downloadDeadline.flatMap { $0 > 0 ? .seconds(min($0, 1e9)) : nil }
    }

    /// Whether another load may have a part in it.
    private var isShared: Bool { cacheScope != .unstored }

    /// Whether a broken download may be continued: the bytes are whose who asks again, and nobody else set a range.
    var isResumable: Bool {
        isShared && validators.isEmpty
            && transfer.request.httpMethod == "GET" && transfer.request.httpBody == nil
            && transfer.request.value(forHTTPHeaderField: "Range") == nil
    }
}

extension DownloadPlan {
    /// What two loads must have in common to share a download.
    struct Key: Hashable, Sendable {
        let plan: DownloadPlan

        static func == (left: Key, right: Key) -> Bool {
            left.plan === right.plan || left.plan.yieldsTheSame(as: right.plan)
        }

        /// Most differ in their URL already, and few are alive at a time.
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
    /// The patience of the first to ask rules, and his priority: they change no byte.
    fileprivate func yieldsTheSame(as other: CurlTransferRequest) -> Bool {
        var request = request
        request.timeoutInterval = other.request.timeoutInterval
        return request == other.request && route == other.route
    }
}
