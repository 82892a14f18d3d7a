import Foundation

extension ImageDecoding {
    /// Whether stored bytes that could not be decoded are useless and should be removed: no registered coder
    /// can decode them.
    ///
    /// The failure of one coder is not sufficient, because another load may use another coder. Blocks while
    /// the coders decode.
    func isUndecodable(_ data: Data, after error: WebImageError) -> Bool {
        guard error.code == .badImageData else { return false }
        let registered = registered.coders
        let readers = registered.filter { $0.canDecode(from: data) }
        guard !readers.isEmpty else {
            // If the format is known but has no registered coder, the bytes may be a valid image for another
            // program. If no coders are registered at all, keep the bytes.
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
                // The bytes may still be an image if they exceed a limit or if memory was short.
                return error.code != .badImageData
            }
        }
    }
}
