import Foundation
import WebImageCore
public import WebImageLoading

/// The parameters of one download. This is a class, so that queues, transfers and waiting tasks share one copy.
final class DownloadParameters: Sendable {
    let settings: DownloaderSettings
    let transfer: WebImageDownloaderJob
    let responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
    let decryptor: (any WebImageDownloaderDecryptorProtocol)?
    let cacheScope: CacheScope
    let acceptance: ResponseAcceptance
    /// The conditional header fields for the cached body; empty if no cached body is revalidated. They are sent in
    /// addition to the request's own fields. If the cached body is still valid, the server can answer 304.
    let validators: DownloadValidators
    /// The URL of the load, before a modifier changed it.
    let requestedURL: URL
    /// ``ImageDataLoad/epoch``.
    private let epoch: Int
    private let urlText: String
    /// The identity as text; nil if the scope is `.unstored`. Downloads with equal texts receive the same bytes.
    let sharing: String?

    init(
        _ load: ImageDataLoad, _ transfer: WebImageDownloaderJob, _ cacheScope: CacheScope,
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
        acceptance = load.terms.map { settings.acceptance.accepting($0) } ?? settings.acceptance
        requestedURL = load.url
        epoch = load.epoch
        urlText = transfer.request.url.absoluteString
        let isOfSettings =
            transfer.route === settings.route
            && transfer.request.allHTTPHeaderFields == settings.values.headers.allHTTPHeaderFields
        sharing = Self.sharing(
            transfer, in: cacheScope,
            roles: [responseModifier.map { RoleIdentity($0) }, decryptor.map { RoleIdentity($0) }],
            isOfSettings ? settings.sharingParts : SharingParts(transfer.request, transfer.route))
    }

    /// Copies parameters and sets the validators that revalidate the cached body.
    init(_ parameters: DownloadParameters, validators: DownloadValidators) {
        settings = parameters.settings
        transfer = parameters.transfer
        cacheScope = parameters.cacheScope
        responseModifier = parameters.responseModifier
        decryptor = parameters.decryptor
        acceptance = parameters.acceptance
        self.validators = validators
        requestedURL = parameters.requestedURL
        epoch = parameters.epoch
        urlText = parameters.urlText
        sharing = parameters.sharing
    }

    var url: URL { transfer.request.url }
    /// The host in canonical spelling, because `parameters(for:)` makes the URL canonical.
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
    var isShared: Bool { cacheScope != .unstored }

    /// Whether a broken download may be continued from the bytes already received. The request must be a GET without a
    /// body, without validators and without a `Range` field from the caller. The cache scope must not be `.unstored`,
    /// because downloads with that scope are not shared with other loads.
    var isResumable: Bool {
        isShared && validators.fields.isEmpty
            && transfer.request.httpMethod == "GET" && transfer.request.httpBody == nil
            && transfer.request.value(forHTTPHeaderField: "Range") == nil
    }
}

extension DownloadParameters {
    /// The properties that two loads must have in common to share a download.
    struct Key: Hashable, Sendable {
        let parameters: DownloadParameters

        static func == (left: Key, right: Key) -> Bool {
            left.parameters === right.parameters || left.parameters.yieldsTheSame(as: right.parameters)
        }

        /// Hashes only the URL. More properties would make hashing slower but would avoid few collisions, because most
        /// keys have different URLs.
        func hash(into hasher: inout Hasher) { hasher.combine(parameters.urlText) }
    }

    private func yieldsTheSame(as other: DownloadParameters) -> Bool {
        guard urlText == other.urlText, epoch == other.epoch, isShared, other.isShared, cacheScope == other.cacheScope,
            validators == other.validators, transfer.yieldsTheSame(as: other.transfer),
            acceptance == other.acceptance,
            ObjectIdentifier(operationClass) == ObjectIdentifier(other.operationClass)
        else { return false }
        return responseModifier.map(RoleIdentity.init) == other.responseModifier.map(RoleIdentity.init)
            && decryptor.map(RoleIdentity.init) == other.decryptor.map(RoleIdentity.init)
    }
}

extension WebImageDownloaderJob {
    /// Whether two transfers yield the same bytes. Timeout and priority are not compared, because they do not affect
    /// the bytes. A shared download uses the timeout of its first subscriber.
    fileprivate func yieldsTheSame(as other: WebImageDownloaderJob) -> Bool {
        var request = request
        request.timeoutInterval = other.request.timeoutInterval
        return request == other.request && route == other.route
    }
}

extension WebImageDownloader {
    /// Returns the identity of a load. It consists of everything that decides the bytes and their scope: URL, method,
    /// body, header fields, credentials, size limit, decryptor, response modifier, proxy, certificates, certificate
    /// checking and cookies.
    public func identity(of load: ImageDataLoad) -> LoadIdentity { prepare(load).identity }

    /// Returns the identity together with the parameters of the download, so that the load does not compute the plan a second
    /// time.
    package func prepare(_ load: ImageDataLoad) -> PreparedLoad {
        if load.url.isFileURL {
            let identity = LoadIdentity(
                sharing: load.url.absoluteString, cacheScope: load.declaredScope ?? .shared)
            return PreparedLoad(identity: identity, value: nil)
        }
        do throws(WebImageError) {
            let parameters = try parameters(for: load)
            return PreparedLoad(identity: parameters.identity, value: parameters)
        } catch {
            // The parameters cannot be made. The load will fail with the same error before a request is sent, so it shares no
            // download.
            return PreparedLoad(identity: LoadIdentity(sharing: nil, cacheScope: .unstored), value: nil)
        }
    }

    /// Returns the cache scope of a load. If nothing in the request can narrow the scope, this function is faster than
    /// ``identity(of:)``, because it does not build the HTTP request.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope {
        prepareForScope(load)?.identity.cacheScope ?? load.declaredScope ?? .shared
    }

    /// Returns the prepared load; nil if nothing in the request, such as credentials or cookies, can narrow the scope.
    package func prepareForScope(_ load: ImageDataLoad) -> PreparedLoad? {
        if load.url.absoluteString.hasScheme("file") { return nil }
        let isNarrowed =
            settings.mayNarrowScope || load.request.requestModifier != nil
            || !load.options.isDisjoint(with: Self.narrowingOptions)
        return isNarrowed ? prepare(load) : nil
    }

    /// Whether a load without options and context has the scope `.shared`. False if the downloader's header fields,
    /// credentials, client certificate or request modifier may narrow the scope.
    package var sharesPlainLoads: Bool { !settings.mayNarrowScope }

    // A constant, because in a debug build a literal costs three allocations in every memory hit.
    private static let narrowingOptions: WebImageOptions = [.handleCookies, .allowInvalidSSLCertificates]

    private static let credentialFields = ["Authorization", "Cookie", "Proxy-Authorization"]

    static func hasCredentials(_ request: WebImageRequest) -> Bool {
        credentialFields.contains { request.value(forHTTPHeaderField: $0) != nil }
    }

    func scope(
        of request: WebImageRequest, unmodified: WebImageRequest,
        modifier: (any WebImageDownloaderRequestModifierProtocol)?, settings: DownloaderSettings,
        load: ImageDataLoad
    ) -> CacheScope {
        if modifier == nil, !settings.mayNarrowScope, load.options.isDisjoint(with: Self.narrowingOptions) {
            return load.declaredScope ?? .shared
        }
        let config = settings.values.config
        let declared = load.declaredScope ?? modifier?.cacheScope
        var parts: [String] = []
        var isNamed = false
        if let declared {
            switch declared {
            case .unstored: return .unstored
            case .scoped(let name): (parts, isNamed) = ([name], true)
            case .shared: break
            }
        } else {
            let secrets =
                Self.credentialFields.map { request.value(forHTTPHeaderField: $0) ?? "" }
                + [config.username ?? "", config.password ?? "", config.clientCertificate?.certificateFile ?? ""]
            if secrets.contains(where: { !$0.isEmpty }) {
                let origin = Self.origin(of: request.url)
                let hash = MachineKey.hash([origin] + secrets)
                let setsCredentials = Self.credentialFields.contains {
                    request.value(forHTTPHeaderField: $0) != unmodified.value(forHTTPHeaderField: $0)
                }
                if setsCredentials, let modifier, areUsedOnce(hash, load.url, origin: origin, modifier: modifier) {
                    return .unstored
                }
                parts.append("!key:\(hash)")
            }
        }
        // A login by cookies ends together with the cookie jar. Therefore the scope contains the name of the jar. If
        // the caller or the modifier gave the scope a name, the scope must also be valid for a later jar. In this case
        // it does not contain the name of the jar.
        if request.httpShouldHandleCookies { parts.append(isNamed ? "!cookies" : "!cookies:\(settings.cookieJar)") }
        // Without certificate checks any host on the network path can replace the bytes. A load with certificate checks
        // must not receive these bytes from a cache.
        if request.allowsInvalidCertificates { parts.append("!unchecked") }
        return parts.isEmpty ? .shared : .scoped(parts.joined(separator: "+"))
    }

    /// The origin of a URL. It is hashed together with the credentials, so that equal credentials have different scopes
    /// for different origins.
    private static func origin(of url: URL) -> String {
        "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? 0)"
    }

    /// Whether a modifier sets other credentials in each load, so that no later load would find the picture. Logs this
    /// once for each modifier and origin.
    private func areUsedOnce(
        _ credentials: String, _ url: URL, origin: String, modifier: any WebImageDownloaderRequestModifierProtocol
    ) -> Bool {
        let source = ModifierCredentials.Source(modifier: RoleIdentity(modifier).text, origin: origin)
        let verdict = modifierCredentials.withLock {
            $0.verdict(on: credentials, of: url.absoluteString, from: source)
        }
        guard case .unstored(let isNew) = verdict else { return false }
        if isNew {
            WebImageLog.shared.log(
                .warning,
                """
                the request modifier sets other credentials in each load of \(origin), so its pictures are not cached; \
                declare whose pictures they are: \
                WebImageDownloaderRequestModifier(cacheScope: .scoped(user)) or context [.cacheScope: user]
                """,
                metadata: ["webimage.origin": origin])
        }
        return true
    }
}

extension DownloadParameters {
    var identity: LoadIdentity {
        var identity = LoadIdentity(sharing: sharing, cacheScope: cacheScope)
        identity.isPortable = !transfer.request.httpShouldHandleCookies && !transfer.request.allowsInvalidCertificates
        // The text begins with the method and the URL, each with its length.
        let start = Self.partLength(transfer.request.httpMethod)
        identity.urlPart = start..<(start + Self.partLength(urlText))
        return identity
    }

    /// The texts of the connection settings and of the header fields.
    struct SharingParts: Sendable {
        fileprivate let route: String
        fileprivate let fields: String

        init(_ request: WebImageRequest, _ route: CurlRoute) {
            let members = route.members
            var text = ""
            for part in [
                members.username ?? "", members.password ?? "", members.proxy ?? "environment",
                members.certificateAuthorityFile ?? "",
                members.clientCertificate.map { $0.certificateFile + " " + ($0.keyFile ?? "") } ?? "",
            ] {
                text.addPart(part)
            }
            self.route = text
            text = ""
            for (field, value) in request.allHTTPHeaderFields.sorted(by: { $0.key < $1.key }) {
                text.addPart(field.lowercased())
                text.addPart(value)
            }
            fields = text
        }
    }

    /// The number of bytes that `addPart` adds.
    private static func partLength(_ part: String) -> Int {
        let count = part.utf8.count
        return String(count).utf8.count + count + 2
    }

    /// - Parameter roles: The response modifier and the decryptor.
    private static func sharing(
        _ transfer: WebImageDownloaderJob, in cacheScope: CacheScope, roles: [RoleIdentity?], _ parts: SharingParts
    ) -> String? {
        let scope: String
        switch cacheScope {
        case .unstored: return nil
        case .shared: scope = "shared"
        case .scoped(let name): scope = "scoped " + name
        }
        let request = transfer.request
        var text = ""
        text.reserveCapacity(400)
        text.addPart(request.httpMethod)
        text.addPart(request.url.absoluteString)
        text.addPart(String(request.maxBodyBytes))
        text.addPart(request.httpShouldHandleCookies ? "cookies" : "")
        text.addPart(request.allowsInvalidCertificates ? "unchecked" : "")
        text += parts.route
        for role in roles { text.addPart(role?.text ?? "") }
        text.addPart(request.httpBody?.base64EncodedString() ?? "")
        text.addPart(scope)
        text += parts.fields
        return text
    }
}

extension String {
    /// Adds a part with its length, so that two lists of parts never make the same text.
    fileprivate mutating func addPart(_ part: String) {
        // A fast path, because most parts are empty.
        guard !part.isEmpty else {
            self += "0:,"
            return
        }
        self += String(part.utf8.count)
        self += ":"
        self += part
        self += ","
    }
}
