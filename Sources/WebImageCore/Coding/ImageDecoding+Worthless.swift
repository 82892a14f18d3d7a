import Foundation

extension ImageDecoding {
    /// Whether stored bytes that could not be decoded are worth nothing: no coder there is makes a picture of them.
    ///
    /// One coder's failure is not enough, since the next load may name another. Blocks while they try.
    func isWorthless(_ data: Data, after error: WebImageError) -> Bool {
        guard error.code == .badImageData else { return false }
        let registered = registered.coders
        let readers = registered.filter { $0.canDecode(from: data) }
        guard !readers.isEmpty else {
            // A known format without a coder is somebody else's picture, and without any coder nobody can judge.
            let hasJudge = !registered.isEmpty || !(coder is ImageCodersManager)
            return hasJudge && ImageFormat(sniffing: data) == .undefined
        }
        var plain = DecodingOptions()
        plain.limits = options.limits
        return !readers.contains { reader in
            do throws(WebImageError) {
                _ = try reader.decodeWithReason(data, options: plain)
                return true
            } catch {
                // What is over a limit, or has no memory now, may well be a picture.
                return error.code != .badImageData
            }
        }
    }
}
