package import Foundation

extension ImageCodersManager {
    /// What the header says; nil where the coder that reads such data cannot tell without decoding.
    package func headerInfo(of data: Data, limits: DecodingLimits) -> ImageInfo? {
        guard let coder = coders.last(where: { $0.canDecode(from: data) }) as? any DetailedImageCoder else {
            return nil
        }
        return try? coder.imageInfo(of: data, limits: limits)
    }
}
