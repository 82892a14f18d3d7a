package import Foundation

extension ImageCodersManager {
    /// Returns the description that the file's header contains; nil if the coder that recognises the data
    /// cannot describe files.
    package func headerInfo(of data: Data, limits: DecodingLimits) -> ImageInfo? {
        guard let coder = coders.last(where: { $0.canDecode(from: data) }) as? any DetailedImageCoder else {
            return nil
        }
        return try? coder.imageInfo(of: data, limits: limits)
    }
}
