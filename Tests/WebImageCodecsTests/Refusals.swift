import Foundation
import WebImageCore

extension DetailedImageCoder {
    /// Returns the error with which the coder refuses the data, or nil if it decodes it.
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
    /// The exceeded limit; nil for other failures.
    var firedLimit: DecodingLimits.Limit? {
        if case .limit(let limit, _, _) = underlying { limit } else { nil }
    }
}
