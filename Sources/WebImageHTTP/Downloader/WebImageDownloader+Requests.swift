import Foundation
import WebImageCore

extension WebImageDownloader {
    /// What a load asks of this downloader: its header fields and limits, the load's options, the modifiers.
    ///
    /// - Throws: `.invalidURL` for what cannot be fetched over HTTP, `.invalidDownloadOperation` for fields that cannot
    ///   be sent, a modifier that refused, or a URL that the policy refuses.
    func plan(for load: ImageDataLoad) throws(WebImageError) -> DownloadPlan {
        let settings = settings
        let config = settings.config
        var request = try Self.checked(load.url, settings.headers)
        request.timeoutInterval = config.downloadTimeout
        request.httpShouldHandleCookies = load.options.contains(.handleCookies)
        request.allowsInvalidCertificates = load.options.contains(.allowInvalidSSLCertificates)
        request.maxBodyBytes =
            load.context?.read(.decodingLimits, as: DecodingLimits.self)?.maxEncodedBytes ?? config.maxBodyBytes
        let modifier =
            load.context?.read(.downloadRequestModifier, as: (any WebImageDownloaderRequestModifierProtocol).self)
            ?? settings.requestModifier
        let plain = request
        if let modifier { request = try Self.modified(request, modifier) }
        try Self.checkSendable(request)
        if let refusal = config.policy?.refusal(of: request.url) { throw refusal }

        var transfer = CurlTransferRequest(request)
        transfer.username = config.username
        transfer.password = config.password
        transfer.clientCertificate = config.clientCertificate
        transfer.maxRedirects = max(config.maxRedirects, 0)
        transfer.certificateAuthorityFile = config.certificateAuthorityFile
        transfer.policy = config.policy
        transfer.proxy = config.proxy ?? (config.policy?.ignoresEnvironmentProxies == true ? "" : nil)
        transfer.resolved = config.resolvedHosts
        transfer.priority = load.priorityHandle?.priority ?? load.priority

        var plan = DownloadPlan(
            transfer: transfer, acceptance: config.acceptance,
            responseModifier: load.context?.read(
                .downloadResponseModifier, as: (any WebImageDownloaderResponseModifierProtocol).self)
                ?? settings.responseModifier,
            decryptor: load.context?.read(.downloadDecryptor, as: (any WebImageDownloaderDecryptorProtocol).self)
                ?? settings.decryptor,
            operationClass: config.operationClass ?? WebImageDownloaderOperation.self,
            retry: config.retryStrategy,
            deadline: config.downloadDeadline.flatMap { $0 > 0 ? .seconds(min($0, 1e9)) : nil },
            room: ReceivedBody.Room(maxBytesInMemory: max(config.maxBodyBytesInMemory, 0), folder: config.bodyFolder),
            options: load.options, context: SharedContext(value: load.context),
            identity: LoadIdentity(sharing: nil), requestedURL: load.url)
        let scope = Self.scope(of: request, unmodified: plain, modifier: modifier, config: config, load: load)
        plan.identity = LoadIdentity(
            sharing: scope == .unstored ? nil : plan.sharing(scope: scope), cacheScope: scope)
        if plan.identity.sharing == nil { plan.solo = UUID() }
        return plan
    }

    private static func checked(_ url: URL, _ headers: WebImageRequest) throws(WebImageError) -> WebImageRequest {
        guard ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host(), !host.isEmpty else {
            throw WebImageError(
                .invalidURL, stage: .request, url: url,
                underlying: .message("not an http or https URL with a host"),
                hint: "This downloader takes http and https; file and data URLs go to the loaders manager.")
        }
        var request = headers
        request.url = url
        return request
    }

    private static func modified(
        _ request: WebImageRequest, _ modifier: any WebImageDownloaderRequestModifierProtocol
    ) throws(WebImageError) -> WebImageRequest {
        guard let modified = modifier.modifiedRequest(with: request) else {
            throw WebImageError(
                .invalidDownloadOperation, stage: .request, url: request.url,
                underlying: .message("the request modifier gave no request"))
        }
        guard modified.url != request.url else { return modified }
        return try checked(modified.url, modified)
    }

    /// A line break in a field would let its author write further fields.
    private static func checkSendable(_ request: WebImageRequest) throws(WebImageError) {
        for (field, value) in request.allHTTPHeaderFields {
            let hasBreak = (field + value).unicodeScalars.contains { $0 == "\r" || $0 == "\n" || $0 == "\0" }
            guard hasBreak || field.isEmpty || field.contains(":") else { continue }
            throw WebImageError(
                .invalidDownloadOperation, stage: .request, url: request.url,
                underlying: .message("the header field \(field.debugDescription) cannot be sent"),
                hint: "Header fields may hold no line breaks, their names no colon.")
        }
    }
}

extension DownloadPolicy {
    /// A proxy would resolve names itself, where no address can be checked.
    var ignoresEnvironmentProxies: Bool { publicAddressesOnly || !usesEnvironmentProxies }
}
