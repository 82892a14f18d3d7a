package import Foundation
public import WebImageCore

/// Loads `data:` URLs (RFC 2397). The content is base64 or percent-encoded text.
///
/// As in browsers, base64 text can contain white space, omit the padding, or use the URL-safe alphabet.
public final class DataURLImageLoader: ImageLoader {
    /// The loader accepts only `data:` URLs.
    public let capabilities = LoaderCapabilities(ownSchemes: ["data"])

    /// Creates a loader. A loader has no state.
    public init() {}

    /// Always returns false. Another attempt does not use the network. Therefore it is not necessary to block the URL.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }

    /// Decodes the bytes of the URL on a queue of the loader.
    ///
    /// - Throws: `.invalidURL` if the URL is malformed, `.limitExceeded` if the content exceeds the byte limit,
    ///   `.badImageData` if the content is empty, `.cancelled` after a cancel.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        try await LoaderQueue.run(load) { _ in
            do throws(WebImageError) {
                let content = try DataURLContent(load.url, maxBytes: load.maxEncodedBytes)
                progress?(content.data.count, content.data.count, load.url)
                let response = WebImageResponse(
                    url: load.url, expectedContentLength: content.data.count, mimeType: content.mimeType)
                return .success(ImageDataResult(data: content.data, response: response))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// The content of a `data:` URL.
package struct DataURLContent: Sendable {
    package let mimeType: String
    package let data: Data

    /// Parses `data:[type][;parameter]*[;base64],payload`.
    package init(_ url: URL, maxBytes: Int) throws(WebImageError) {
        let text = url.absoluteString.utf8
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
            let comma = text[colon...].firstIndex(of: UInt8(ascii: ","))
        else { throw Self.invalid(url, "the data URL has no comma") }

        let head = String(decoding: text[text.index(after: colon)..<comma], as: UTF8.self)
        let parts = head.split(separator: ";", omittingEmptySubsequences: false)
        let declared = parts.first.map { Self.word($0) } ?? ""
        mimeType = declared.isEmpty ? "text/plain" : declared
        let isBase64 = parts.dropFirst().last.map { Self.word($0) } == "base64"

        // A fragment is not part of the payload (RFC 3986 §3.5).
        let payload = text[text.index(after: comma)...].prefix { $0 != UInt8(ascii: "#") }
        // Reject long payloads before they are decoded. The check assumes that a byte of content takes at most 3
        // characters, like a percent escape. In base64 text with much white space or many percent escapes, a byte takes
        // more characters. Therefore the check may reject such a payload although its content is within the limit.
        let length = payload.count
        guard length / 3 <= maxBytes else { throw Self.limit(url, actual: length / 3, allowed: maxBytes) }
        guard let raw = Self.percentDecoded(payload) else { throw Self.invalid(url, "a percent escape is damaged") }
        if isBase64 {
            guard let decoded = Self.base64Decoded(raw) else { throw Self.invalid(url, "the base64 is damaged") }
            data = decoded
        } else {
            data = Data(raw)
        }
        guard data.count <= maxBytes else { throw Self.limit(url, actual: data.count, allowed: maxBytes) }
        guard !data.isEmpty else { throw .emptyBody(url) }
    }

    /// A part of the head without the blanks around it, in lower case. `URL` writes a blank as an escape.
    private static func word(_ part: Substring) -> String {
        (part.removingPercentEncoding ?? String(part)).trimmingCharacters(in: .whitespaces).lowercased()
    }

    private static func percentDecoded(_ text: Substring.UTF8View) -> [UInt8]? {
        // In the common case, base64 text has no percent escapes and only one copy is necessary.
        guard text.contains(UInt8(ascii: "%")) else { return Array(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func hexValue(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func base64Decoded(_ text: [UInt8]) -> Data? {
        if let data = Data(base64Encoded: Data(text)) { return data }
        var cleaned: [UInt8] = []
        cleaned.reserveCapacity(text.count + 3)
        for character in text {
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: "="):
                continue
            case UInt8(ascii: "-"): cleaned.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): cleaned.append(UInt8(ascii: "/"))
            default: cleaned.append(character)
            }
        }
        while !cleaned.count.isMultiple(of: 4) { cleaned.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(cleaned))
    }

    private static func invalid(_ url: URL, _ problem: String) -> WebImageError {
        WebImageError(
            .invalidURL, stage: .request, url: url, underlying: .message(problem),
            hint: "The form is data:image/png;base64,… (RFC 2397).")
    }

    private static func limit(_ url: URL, actual: Int, allowed: Int) -> WebImageError {
        WebImageError.limit(.encodedBytes, actual: actual, allowed: allowed, stage: .download).with(url: url)
    }
}
