package import Foundation

extension ImageDecoding {
    /// Returns whether stored bytes should be removed after a decode has failed with `error`. True if no
    /// registered coder can decode the bytes.
    ///
    /// The failure of one coder is not sufficient, because another load can use another coder. Blocks the calling
    /// thread while the coders decode.
    package func isUndecodable(_ data: Data, after error: WebImageError) -> Bool {
        // A file that makes its decoder crash is not given to a decoder again.
        if error.crashedDecoder { return true }
        guard error.code == .badImageData else { return false }
        let registered = registered.coders
        let readers = registered.filter { $0.canDecode(from: data) }
        guard !readers.isEmpty else {
            // If the format is known but has no registered coder, the bytes can be a valid image for another
            // program. Also keep the bytes if no coder is registered and the load uses a list of coders.
            let canDecide = !registered.isEmpty || !(coder is ImageCodersManager)
            return canDecide && ImageFormat(sniffing: data) == .undefined
        }
        var plain = DecodingOptions()
        plain.limits = options.limits
        return !readers.contains { reader in
            do throws(WebImageError) {
                _ = try reader.decodeWithReason(data, options: plain)
                return true
            } catch {
                // With any other error, the bytes can still be an image. For example, the image exceeds a limit, or
                // there was not enough memory.
                return error.code != .badImageData
            }
        }
    }
}

extension WebImageError {
    /// Whether the file made its decoder process crash.
    package var crashedDecoder: Bool {
        if code == .decoderFailed, case .codec = underlying { true } else { false }
    }
}
