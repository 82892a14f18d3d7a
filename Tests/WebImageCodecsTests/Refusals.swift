import Foundation
import WebImageCore

extension DetailedImageCoder {
    /// Why the coder does not decode data; nil when it does.
    func refusal(of data: Data, _ limits: DecodingLimits = .default) -> WebImageError? {
        var options = DecodingOptions()
        options.limits = limits
        do throws(WebImageError) {
            _ = try decode(data, options: options)
            return nil
        } catch { return error }
    }
}

extension WebImageError {
    /// The limit that the data exceeded; nil for other failures.
    var firedLimit: DecodingLimits.Limit? {
        if case .limit(let limit, _, _) = underlying { limit } else { nil }
    }
}
