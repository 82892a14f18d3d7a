package import Foundation

/// Finds the quality at which a file fits a limit: a bisection with at most seven encodes.
package enum QualitySearch {
    /// Returns the file with the highest quality of 1 to 100 that fits, or with the lowest quality when none fits.
    package static func encode(
        maxBytes: Int, _ encode: (Int) throws(WebImageError) -> Data
    ) throws(WebImageError) -> Data {
        var qualities = 1...100
        var best: Data?
        while true {
            let quality = (qualities.lowerBound + qualities.upperBound) / 2
            let encoded = try encode(quality)
            if encoded.count <= maxBytes {
                best = encoded
                guard quality < qualities.upperBound else { return encoded }
                qualities = quality + 1...qualities.upperBound
            } else {
                guard quality > qualities.lowerBound else { return best ?? encoded }
                qualities = qualities.lowerBound...quality - 1
            }
        }
    }

    /// The same for encoders that take the options; lossless files have no quality setting.
    package static func encode(
        _ options: EncodingOptions, _ encode: (EncodingOptions) throws(WebImageError) -> Data
    ) throws(WebImageError) -> Data {
        guard let limit = options.maxFileSize, !options.lossless else { return try encode(options) }
        return try Self.encode(maxBytes: limit) { quality throws(WebImageError) in
            var chosen = options
            chosen.quality = Double(quality) / 100
            return try encode(chosen)
        }
    }
}
