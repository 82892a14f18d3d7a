import CWebImageCurlShim
import Foundation
import WebImageCore

/// Undoes the content codings of one body (RFC 9110 §8.4), the last one first. Used on the engine's thread.
///
/// Origins send words that are no codings, such as `UTF-8`, `none` and `aws-chunked`. Their bodies have no coding, so such
/// words are ignored; if a body has an unknown coding, its bytes are no picture.
final class ContentDecoding {
    private static func coding(_ name: String) -> webimage_coding? {
        let coding: webimage_coding? =
            switch name {
            case "gzip", "x-gzip": WEBIMAGE_GZIP
            case "deflate": WEBIMAGE_DEFLATE
            case "br": WEBIMAGE_BROTLI
            case "zstd": WEBIMAGE_ZSTD
            default: nil
            }
        return coding.flatMap { webimage_coding_is_available($0) ? $0 : nil }
    }

    /// The most codings of one body. Each needs memory, and a server may name any number.
    private static let most = 5

    /// The value of `Accept-Encoding`.
    static let acceptField = ["deflate", "gzip", "br", "zstd"].filter { coding($0) != nil }.joined(separator: ", ")

    private let field: String
    private var stages: [ContentDecoder] = []
    private let hasTooMany: Bool

    /// Nil if the field names no known coding.
    init?(_ field: String) {
        self.field = field
        let codings = field.split(separator: ",").compactMap { word in
            Self.coding(word.trimmingCharacters(in: .whitespaces).lowercased())
        }
        guard !codings.isEmpty else { return nil }
        hasTooMany = codings.count > Self.most
        if !hasTooMany { stages = codings.reversed().compactMap(ContentDecoder.init) }
        if stages.count < codings.count { stages = [] }
    }

    /// Decodes the next bytes of the body and passes them on. Returns false if the body is damaged, or if `deliver` does.
    func decode(_ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        !stages.isEmpty && decode(bytes, from: 0, deliver: deliver)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, from stage: Int, deliver: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard stage < stages.count else { return deliver(bytes) }
        return stages[stage].decode(bytes) { decode($0, from: stage + 1, deliver: deliver) }
    }

    /// Whether the body may end here.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) }

    /// The error for a body that cannot be decoded. It says what the server has sent.
    func error(_ problem: String) -> WebImageError {
        let sent = String(field.prefix(100).filter { $0.isASCII && !$0.isNewline })
        return WebImageError(
            .invalidDownloadResponse, stage: .download,
            underlying: .message(
                "the server sent Content-Encoding: \(sent), and \(hasTooMany ? "these are too many codings" : problem)"),
            hint: "The server's compression is damaged.")
    }
}

/// One coding of one body.
private final class ContentDecoder {
    private let decoder: OpaquePointer
    private var piece = [UInt8](repeating: 0, count: 64 << 10)

    init?(_ coding: webimage_coding) {
        guard let decoder = webimage_decoder_new(coding) else { return nil }
        self.decoder = decoder
        HandleLedger.opened("content decoder")
    }

    deinit {
        webimage_decoder_free(decoder)
        HandleLedger.closed("content decoder")
    }

    var isComplete: Bool { webimage_decoder_is_complete(decoder) }

    func decode(_ bytes: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var offset = 0
        while true {
            var (consumed, written) = (0, 0)
            let isGood = piece.withUnsafeMutableBytes { target in
                let result = webimage_decoder_run(
                    decoder, bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: UInt8.self),
                    bytes.count - offset, &consumed, target.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    target.count, &written)
                // The rest is no part of the body.
                if result == 1 { consumed = bytes.count - offset }
                return result >= 0 && (written == 0 || deliver(UnsafeRawBufferPointer(rebasing: target[..<written])))
            }
            guard isGood else { return false }
            offset += consumed
            if consumed == 0, written == 0 { return true }
            if offset == bytes.count, written < piece.count { return true }
        }
    }
}

/// The cookies of one chain of redirects: some servers send a cookie and redirect to the same URL. Used on the engine's
/// thread.
final class CookieChain: @unchecked Sendable {
    // Unchecked is correct because the jar is used only on the engine's thread, and released after its last transfer.
    private var jar: CurlCookieJar?

    func jar(label: String) -> CurlCookieJar? {
        if jar == nil { jar = CurlCookieJar(label: label) }
        return jar
    }
}
