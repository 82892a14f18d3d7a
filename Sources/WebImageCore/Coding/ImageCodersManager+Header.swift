package import Foundation

extension ImageCodersManager {
    /// Reads the description of the image from the header of the file. Returns nil if no ``DetailedImageCoder``
    /// recognises the data or the header cannot be read.
    package func headerInfo(of data: Data, limits: DecodingLimits) -> ImageInfo? {
        guard let coder = coders.last(where: { $0.canDecode(from: data) }) as? any DetailedImageCoder else {
            return nil
        }
        return try? coder.imageInfo(of: data, limits: limits)
    }
}
