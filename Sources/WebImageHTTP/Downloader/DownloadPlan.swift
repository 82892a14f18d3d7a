import Foundation
import WebImageCore
import WebImageLoading

/// The parameters of one download. This is a class, so that queues, transfers and waiting tasks share one copy.
final class DownloadPlan: Sendable {
    let settings: DownloaderSettings
    let transfer: WebImageDownloaderOrder
    let responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
    let decryptor: (any WebImageDownloaderDecryptorProtocol)?
    let cacheScope: CacheScope
    /// The conditional header fields for the cached body; empty if no cached body is revalidated. They are sent in
    /// addition to the request's own fields. If the cached body is still valid, the server can answer 304.
    let validators: DownloadValidators
    /// The URL of the load, before a modifier changed it.
    let requestedURL: URL
    private let urlText: String

    init(
        _ load: ImageDataLoad, _ transfer: WebImageDownloaderOrder, _ cacheScope: CacheScope,
        _ settings: DownloaderSettings
    ) {
        self.settings = settings
        self.transfer = transfer
        self.cacheScope = cacheScope
        responseModifier =
            load.request.responseModifier
            ?? settings.values.responseModifier
        decryptor =
            load.request.decryptor
            ?? settings.values.decryptor
        validators = .none
        requestedURL = load.url
        urlText = transfer.request.url.absoluteString
    }

    /// Copies a plan and sets the validators that revalidate the cached body.
    init(_ plan: DownloadPlan, validators: DownloadValidators) {
        settings = plan.settings
        transfer = plan.transfer
        cacheScope = plan.cacheScope
        responseModifier = plan.responseModifier
        decryptor = plan.decryptor
        self.validators = validators
        requestedURL = plan.requestedURL
        urlText = plan.urlText
    }

    var url: URL { transfer.request.url }
    /// The host in canonical spelling, because `plan(for:)` makes the URL canonical.
    var host: String { url.host() ?? "" }

    var operationClass: any WebImageDownloaderOperationProtocol.Type {
        settings.values.config.operationClass ?? WebImageDownloaderOperation.self
    }

    var retry: (any DownloadRetryStrategy)? { settings.values.config.retryStrategy }

    /// The maximum duration of the whole download, including all attempts and waits; nil without a deadline.
    var deadline: Duration? {
        settings.values.config.downloadDeadline.flatMap { $0 > 0 ? .seconds(min($0, 1e9)) : nil }
    }

    /// Whether several loads may share the download.
    private var isShared: Bool { cacheScope != .unstored }

    /// Whether a broken download may be continued from the bytes already received. The request must be a GET without a
    /// body, without validators and without a `Range` field from the caller. The cache scope must not be `.unstored`,
    /// because downloads with that scope are not shared with other loads.
    var isResumable: Bool {
        isShared && validators.fields.isEmpty
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

        /// Hashes only the URL. More properties would make hashing slower but would avoid few collisions, because most
        /// keys have different URLs.
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

extension WebImageDownloaderOrder {
    /// Whether two transfers yield the same bytes. Timeout and priority are not compared, because they do not affect
    /// the bytes. A shared download uses the timeout of its first subscriber.
    fileprivate func yieldsTheSame(as other: WebImageDownloaderOrder) -> Bool {
        var request = request
        request.timeoutInterval = other.request.timeoutInterval
        return request == other.request && route == other.route
    }
}
