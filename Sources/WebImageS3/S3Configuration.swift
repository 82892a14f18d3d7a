import Foundation
package import WebImageCore

/// The address of a bucket, and how its store is asked.
package struct S3Configuration: Sendable {
    package enum Style: Sendable, Hashable {
        /// The bucket is the first part of the path.
        case path
        /// The bucket is the first label of the host.
        case virtualHost
    }

    package var bucket: String
    /// The prefix of all object names, without slashes at its ends; empty for none.
    package var prefix = ""
    package var region = "us-east-1"
    /// `scheme://host[:port]` of the store.
    package var endpoint: String
    package var style: Style
    package var credentials = S3CredentialSource.system
    /// A file in PEM with the authorities to trust; nil for the system's.
    package var certificateAuthorityFile: String?
    /// Tags that every stored object receives (`x-amz-tagging`), for lifecycle rules of the store.
    package var tags: [String: String] = [:]
    /// The attempts of a read and of a write, including the first one.
    package var (readAttempts, writeAttempts) = (2, 4)
    /// The bytes of each part of a long object.
    var partBytes = 8 << 20

    /// - Parameter endpoint: nil for Amazon's store of the region.
    /// - Throws: `.invalidURL` if the bucket's name, the region or the endpoint is invalid.
    package init(
        bucket: String, region: String? = nil, endpoint: String? = nil, style: Style? = nil
    ) throws(WebImageError) {
        guard Self.isBucketName(bucket) else {
            throw Self.malformed(
                "A bucket's name has 3 to 63 lower-case letters, digits, dots and hyphens, and begins and ends with a"
                    + " letter or digit.")
        }
        self.bucket = bucket
        self.region = region ?? "us-east-1"
        guard self.region.utf8.allSatisfy({ $0.isNameByte }), !self.region.isEmpty else {
            throw Self.malformed("A region has lower-case letters, digits and hyphens.")
        }
        self.endpoint = endpoint ?? "https://s3.\(self.region).amazonaws.com"
        guard let parts = URLComponents(string: self.endpoint), ["http", "https"].contains(parts.scheme),
            let host = parts.host, !host.isEmpty, parts.path.isEmpty || parts.path == "/", parts.query == nil,
            parts.fragment == nil, parts.user == nil, parts.password == nil
        else { throw Self.malformed("The endpoint must be http[s]://host[:port].") }
        if self.endpoint.hasSuffix("/") { self.endpoint.removeLast() }
        // A certificate for `*.host` does not cover a bucket with a dot, and an address has no subdomains.
        let isAddress = host.hasPrefix("[") || host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
        self.style = style ?? (endpoint == nil && !bucket.contains(".") ? .virtualHost : .path)
        guard self.style == .path || !isAddress else {
            throw Self.malformed("An endpoint that is an address requires the path style.")
        }
    }

    /// Reads `s3://bucket[/prefix][?endpoint=https://host[:port]&region=…&style=path|host&ca=file&profile=…&access=public]`.
    /// Region and endpoint default to `AWS_REGION`, `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL`.
    /// The profile is one of the shared credentials file; requests to a public bucket are not signed. The access key is
    /// never part of the URL.
    ///
    /// - Throws: `.invalidURL` with a hint.
    package init(
        url text: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(WebImageError) {
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "s3", let bucket = parts.host,
            parts.port == nil, parts.fragment == nil
        else { throw Self.malformed("Write s3://bucket/prefix.") }
        guard parts.user == nil, parts.password == nil else {
            throw Self.malformed("Credentials belong in the environment or the credentials file, not in the URL.")
        }
        var values: [String: String] = [:]
        for item in parts.queryItems ?? [] {
            guard Self.parameters.contains(item.name), let value = item.value, !value.isEmpty,
                values.updateValue(value, forKey: item.name) == nil
            else {
                throw Self.malformed("The parameters are \(Self.parameters.joined(separator: ", ")), each once.")
            }
        }
        let style: Style?
        switch values["style"] {
        case nil: style = nil
        case "path": style = .path
        case "host": style = .virtualHost
        default: throw Self.malformed("The style is path or host.")
        }
        func variable(_ names: String...) -> String? { names.compactMap { environment[$0] }.first { !$0.isEmpty } }
        try self.init(
            bucket: bucket, region: values["region"] ?? variable("AWS_REGION", "AWS_DEFAULT_REGION"),
            endpoint: values["endpoint"] ?? variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), style: style)
        certificateAuthorityFile = values["ca"]
        switch (values["access"], values["profile"]) {
        case (nil, nil): break
        case (nil, let profile?): credentials = .profile(profile)
        case ("public", nil): credentials = .anonymous
        default: throw Self.malformed("The access is public or not given, and a public bucket has no profile.")
        }
        prefix = parts.path.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
        guard prefix.utf8.count <= 512, !prefix.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { throw Self.malformed("The prefix has at most 512 bytes and no part '.' or '..'.") }
    }

    private static let parameters = ["endpoint", "region", "style", "ca", "profile", "access"]

    /// The problem of a name that refers to nothing: a file of authorities or a profile that does not exist; nil without
    /// one. Blocks while the files are read.
    package var missingName: String? {
        if let file = certificateAuthorityFile, access(file, R_OK) != 0 {
            return "the file \(file) (ca) cannot be read: \(String(cString: strerror(errno)))"
        }
        guard case .profile(let profile) = credentials else { return nil }
        let path = S3Credentials.sharedFile(ProcessInfo.processInfo.environment)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            return "the profile \(profile) is in no file: \(path) cannot be read"
        }
        return S3Credentials(sharedFile: text, profile: profile) == nil
            ? "the profile \(profile) in \(path) has no access key" : nil
    }

    /// The URL of an object, or of the bucket if `key` is nil, in the canonical form that is signed. Nil if a part of the
    /// key is `.` or `..`: libcurl removes such parts, so the request would name another object. (CURLOPT_PATH_AS_IS keeps
    /// them, but libcurl 8.14 refuses it for signed requests.)
    func url(key: String?, query: [(String, String)] = []) -> URL? {
        if let key, key.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) { return nil }
        var text = endpoint
        switch style {
        case .path: text += "/\(bucket)"
        case .virtualHost:
            guard let end = text.range(of: "://") else { return nil }
            text.insert(contentsOf: "\(bucket).", at: end.upperBound)
        }
        if let key { text += "/\(S3Encoding.path(key))" } else if style == .virtualHost { text += "/" }
        let sorted = query.map { "\(S3Encoding.value($0.0))=\(S3Encoding.value($0.1))" }.sorted()
        if !sorted.isEmpty { text += "?" + sorted.joined(separator: "&") }
        return URL(string: text)
    }

    static func isBucketName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard (3...63).contains(bytes.count), let first = bytes.first, let last = bytes.last else { return false }
        return bytes.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: ".") } && first != UInt8(ascii: "-")
            && first != UInt8(ascii: ".") && last != UInt8(ascii: "-") && last != UInt8(ascii: ".")
            && !name.contains("..")
    }

    static func malformed(_ hint: String) -> WebImageError {
        WebImageError(.invalidURL, stage: .request, underlying: .message("not the address of a bucket"), hint: hint)
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// Whether this is a lower-case letter, a digit or a hyphen.
    var isNameByte: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || self == UInt8(ascii: "-")
    }
}

/// The percent-encoding of signed requests: every byte except the unreserved ones (RFC 3986 §2.3), in upper case.
enum S3Encoding {
    static func path(_ key: String) -> String { encode(key, keepsSlashes: true) }
    static func value(_ text: String) -> String { encode(text, keepsSlashes: false) }

    private static func encode(_ text: String, keepsSlashes: Bool) -> String {
        var result: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            case UInt8(ascii: "/") where keepsSlashes: result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
