import Foundation
import WebImageCore

extension ImageCoder {
    /// Returns the error that the coder throws for the data, or nil if the coder decodes the data.
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
    /// The limit that was exceeded; nil for any other error.
    var firedLimit: DecodingLimits.Limit? {
        if case .limit(let limit, _, _) = underlying { limit } else { nil }
    }
}
