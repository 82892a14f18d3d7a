package import Foundation

/// Finds the highest quality at which an encoded file fits a size limit. It is a binary search with at most
/// seven encodes.
package enum QualitySearch {
    /// Returns the file with the highest quality, from 1 to 100, that fits the limit. If no quality fits,
    /// returns the file with the lowest quality.
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

    /// Encodes with the highest quality that fits `options.maxFileSize`. Without this limit, or for a
    /// lossless file, which has no quality setting, encodes once with the given options.
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
