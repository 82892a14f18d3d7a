import Foundation
import WebImageCore

/// Everything one load asks of a downloader, read once from its configuration, options and context.
struct DownloadPlan: Sendable {
    var transfer: CurlTransferRequest
    var acceptance: ResponseAcceptance
    var responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
    var decryptor: (any WebImageDownloaderDecryptorProtocol)?
    var operationClass: any WebImageDownloaderOperationProtocol.Type
    var retry: (any DownloadRetryStrategy)?
    /// For the whole of it, attempts and waits included.
    var deadline: Duration?
    /// How much of the body stays in memory.
    var room: ReceivedBody.Room
    var options: WebImageOptions
    var context: SharedContext
    var identity: LoadIdentity
    /// The fields by which the server may answer 304; sent beside the request's own.
    var validators: [String: String] = [:]
    /// Sets downloads apart that may not be shared.
    var solo: UUID?

    /// What two loads must have in common to share a download; a reference, since queues hand it about.
    final class Key: Hashable, Sendable {
        private let members: KeyMembers

        init(_ members: KeyMembers) { self.members = members }

        static func == (left: Key, right: Key) -> Bool { left === right || left.members == right.members }

        /// Most differ in their URL already, and few are alive at a time.
        func hash(into hasher: inout Hasher) { hasher.combine(members.url) }
    }

    struct KeyMembers: Equatable, Sendable {
        var url: String
        var transfer: CurlTransferRequest
        var acceptance: ResponseAcceptance
        var responseModifier: RoleIdentity?
        var decryptor: RoleIdentity?
        var operationClass: ObjectIdentifier
        var validators: [String: String]
        var scope: CacheScope
        var solo: UUID?
    }

    /// The patience of the first to ask rules, and his priority; they change no byte, so they are no part of it.
    var key: Key {
        var transfer = transfer
        transfer.request.timeoutInterval = 0
        transfer.priority = .normal
        return Key(
            KeyMembers(
                url: transfer.request.url.absoluteString, transfer: transfer, acceptance: acceptance,
                responseModifier: responseModifier.map(RoleIdentity.init),
                decryptor: decryptor.map(RoleIdentity.init), operationClass: ObjectIdentifier(operationClass),
                validators: validators, scope: identity.cacheScope, solo: solo))
    }

    /// The URL that was asked for, whatever a modifier made of it.
    var requestedURL: URL
    var url: URL { transfer.request.url }
    var host: String { url.host()?.lowercased() ?? "" }

    /// Whether a broken download may be continued: the bytes are whose who asks again, and nobody else set a range.
    var isResumable: Bool {
        identity.sharing != nil && identity.cacheScope != .unstored && validators.isEmpty
            && transfer.request.httpMethod == "GET" && transfer.request.httpBody == nil
            && transfer.request.value(forHTTPHeaderField: "Range") == nil
    }
}
