package import Foundation

/// Finds the highest quality at which an encoded file fits a size limit. The binary search encodes the image at
/// most seven times.
package enum QualitySearch {
    /// Returns the file with the highest quality, from 1 to 100, at which the file fits the limit. If the file exceeds
    /// the limit at every quality, returns the file with the lowest quality.
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

    /// Encodes with the highest quality at which the file fits `options.maxFileSize`. If there is no such limit or
    /// the options request a lossless file, encodes once with `options`. A lossless file has no quality setting.
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
