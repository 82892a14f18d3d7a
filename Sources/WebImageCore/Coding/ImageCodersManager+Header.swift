package import Foundation

extension ImageCodersManager {
    /// Returns the description in the header; nil if the coder for such data cannot read it without decoding.
    package func headerInfo(of data: Data, limits: DecodingLimits) -> ImageInfo? {
        guard let coder = coders.last(where: { $0.canDecode(from: data) }) as? any DetailedImageCoder else {
            return nil
        }
        return try? coder.imageInfo(of: data, limits: limits)
    }
}
