import Foundation

/// The bucket and the name of an object in a URL such as `s3://bucket/folder/picture.jpg`, and with `?versionId=…` one of its
/// versions.
package struct S3ObjectName: Sendable, Hashable {
    package let bucket: String
    /// The name without percent-encoding and without the slash behind the bucket.
    package let key: String
    /// The version, in a bucket that keeps versions; nil for the newest one.
    package let version: String?

    /// The most bytes of a name.
    private static let longest = 1024

    /// Reads a URL. Other characters than `?` and `#` need no percent-encoding.
    ///
    /// Nil if the bucket is no bucket name, the name is empty or too long, or a part of the name is `.` or `..`: such a
    /// name cannot be requested; see ``S3Configuration/url(key:query:)``. Nil also for another parameter than `versionId`.
    package init?(_ text: String) {
        guard text.utf8.count <= 8192, text.prefix(5).lowercased() == "s3://" else { return nil }
        let parts = text.dropFirst(5).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts[0]
        guard let slash = rest.firstIndex(of: "/"), !text.contains("#"),
            let key = rest[rest.index(after: slash)...].removingPercentEncoding
        else { return nil }
        bucket = String(rest[..<slash])
        self.key = key
        version = parts.count > 1 ? Self.version(parts[1]) : nil
        guard parts.count == 1 || version != nil, S3Configuration.isBucketName(bucket),
            (1...Self.longest).contains(key.utf8.count),
            !key.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
    }

    private static func version(_ query: Substring) -> String? {
        let mark = "versionId="
        guard query.hasPrefix(mark), let version = query.dropFirst(mark.count).removingPercentEncoding,
            (1...longest).contains(version.utf8.count), version.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        // Another parameter would be part of the value.
        return query.contains("&") ? nil : version
    }

    /// The URL in its canonical spelling.
    package var text: String {
        "s3://\(bucket)/\(S3Encoding.path(key))" + (version.map { "?versionId=\(S3Encoding.value($0))" } ?? "")
    }

    /// The canonical spelling of the beginning of such a URL, in which each `*` remains; nil if the bucket has another
    /// character than those of a bucket name and `*`.
    package static func canonicalPrefix(_ text: String) -> String? {
        guard text.prefix(5).lowercased() == "s3://" else { return nil }
        let rest = text.dropFirst(5)
        let bucket = rest.prefix { $0 != "/" }
        guard bucket.utf8.allSatisfy({ $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ".") || $0.isNameByte }) else {
            return nil
        }
        let parts = rest[bucket.endIndex...].split(separator: "*", omittingEmptySubsequences: false)
        let path = parts.map { S3Encoding.path($0.removingPercentEncoding ?? String($0)) }.joined(separator: "*")
        return "s3://\(bucket)\(path)"
    }

    /// Whether the name is below a prefix, which has no slash at its end. An empty prefix has all names below it.
    package func isBelow(_ prefix: String) -> Bool {
        prefix.isEmpty || key.utf8.starts(with: "\(prefix)/".utf8)
    }
}
