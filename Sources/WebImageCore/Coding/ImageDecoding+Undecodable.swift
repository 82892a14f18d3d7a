import Foundation

extension ImageDecoding {
    /// Whether stored bytes that could not be decoded are useless: no registered coder decodes an image from them.
    ///
    /// The failure of one coder is not enough, because the next load may name another. Blocks while the coders decode.
    func isUndecodable(_ data: Data, after error: WebImageError) -> Bool {
        guard error.code == .badImageData else { return false }
        let registered = registered.coders
        let readers = registered.filter { $0.canDecode(from: data) }
        guard !readers.isEmpty else {
            // A known format without a coder may be an image for another program. Without any coder no decision is
            // possible.
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
                // Bytes that exceed a limit, or that found no memory now, may still be an image.
                return error.code != .badImageData
            }
        }
    }
}
