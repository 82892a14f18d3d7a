import Foundation
public import WebImageCore

extension WebImageDownloader {
    /// What decides the bytes and who may see them: URL, fields, credentials, decryptor, modifiers, proxy, client
    /// certificate, certificate checking, cookies.
    public func identity(of load: ImageDataLoad) -> LoadIdentity {
        do throws(WebImageError) {
            return try plan(for: load).identity
        } catch {
            // The load will fail before anything is sent.
            return LoadIdentity(sharing: nil, cacheScope: .unstored)
        }
    }

    /// The scope alone, without making the request where nothing in it could narrow it.
    public func cacheScope(of load: ImageDataLoad) -> CacheScope {
        let isNarrowed =
            mayNarrowScope || load.context?[.downloadRequestModifier] != nil
            || !load.options.isDisjoint(with: Self.narrowingOptions)
        return isNarrowed ? identity(of: load).cacheScope : load.declaredScope ?? .shared
    }

    // A constant: a literal above is three allocations in a debug build, on the way of every memory hit.
    private static let narrowingOptions: WebImageOptions = [.handleCookies, .allowInvalidSSLCertificates]

    private static let credentialFields = ["Authorization", "Cookie", "Proxy-Authorization"]

    static func hasCredentials(_ request: WebImageRequest) -> Bool {
        credentialFields.contains { request.value(forHTTPHeaderField: $0) != nil }
    }

    static func scope(
        of request: WebImageRequest, unmodified: WebImageRequest,
        modifier: (any WebImageDownloaderRequestModifierProtocol)?, config: WebImageDownloaderConfig,
        load: ImageDataLoad
    ) -> CacheScope {
        let declared = load.declaredScope ?? modifier?.cacheScope
        var parts: [String] = []
        if let declared {
            switch declared {
            case .unstored: return .unstored
            case .scoped(let name): parts.append(name)
            case .shared: break
            }
        } else {
            let addsCredentials =
                modifier != nil
                && credentialFields.contains {
                    request.value(forHTTPHeaderField: $0) != unmodified.value(forHTTPHeaderField: $0)
                }
            if addsCredentials { return .unstored }
            let secrets =
                credentialFields.map { request.value(forHTTPHeaderField: $0) ?? "" }
                + [config.username ?? "", config.password ?? "", config.clientCertificate?.certificateFile ?? ""]
            if secrets.contains(where: { !$0.isEmpty }) { parts.append("!key:\(keyedHash(secrets, for: request.url))") }
        }
        if request.httpShouldHandleCookies { parts.append("!cookies") }
        // What anybody on the way could have put there is never shown to who asked for checked bytes.
        if request.allowsInvalidCertificates { parts.append("!unchecked") }
        return parts.isEmpty ? .shared : .scoped(parts.joined(separator: "+"))
    }

    /// Tells credentials apart without telling them: keyed by the machine and the origin.
    private static func keyedHash(_ secrets: [String], for url: URL) -> String {
        let origin = "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? 0)"
        let text = ([machine, origin] + secrets).map { "\($0.utf8.count):\($0)" }.joined()
        return SHA256.shortName(of: text)
    }

    private static let machine: String =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"
}

extension DownloadPlan {
    /// The identity as a text; two plans with equal texts get the same bytes.
    func sharing(scope: CacheScope) -> String {
        let request = transfer.request
        var parts: [String] = [request.httpMethod, request.url.absoluteString, "\(request.maxBodyBytes)"]
        parts.append("\(request.httpShouldHandleCookies) \(request.allowsInvalidCertificates)")
        parts += [transfer.username ?? "", transfer.password ?? "", transfer.proxy ?? "environment"]
        parts.append(transfer.certificateAuthorityFile ?? "")
        parts.append(transfer.clientCertificate.map { "\($0.certificateFile) \($0.keyFile ?? "")" } ?? "")
        parts.append(responseModifier.map { RoleIdentity($0).text } ?? "")
        parts.append(decryptor.map { RoleIdentity($0).text } ?? "")
        parts.append(request.httpBody?.base64EncodedString() ?? "")
        parts.append("\(scope)")
        for (field, value) in request.allHTTPHeaderFields.sorted(by: { $0.key < $1.key }) {
            parts.append("\(field.lowercased()): \(value)")
        }
        var text = ""
        text.reserveCapacity(parts.reduce(0) { $0 + $1.utf8.count + 6 })
        for part in parts {
            text += String(part.utf8.count)
            text += ":"
            text += part
            text += ","
        }
        return text
    }
}
