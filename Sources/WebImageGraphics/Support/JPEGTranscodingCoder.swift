package import Foundation
package import WebImageCore

/// A coder that stores the coefficients of JPEG files in files of its own format, and makes the same JPEG files of them again.
package protocol JPEGTranscodingCoder: ImageCoder {
    /// Returns a file from which ``originalJPEG(in:limits:)`` makes the same bytes again, which is checked.
    func transcoded(jpeg data: Data, limits: DecodingLimits) throws(WebImageError) -> Data

    /// Returns the bytes of the JPEG file from which a file was made. Nil if it was not made from a JPEG.
    func originalJPEG(in data: Data, limits: DecodingLimits) throws(WebImageError) -> Data?
}

extension ImageCodersManager {
    /// The registered coder that transcodes JPEG. Nil if there is none. It is nil also if pictures are decoded in restricted
    /// processes: their coders do not have the role, because a file would be read outside of them.
    ///
    /// The role is internal to the package, so that a coder cannot be asked for it when it is registered.
    package var jpegTranscoder: (any JPEGTranscodingCoder)? {
        coders.lazy.compactMap { $0 as? any JPEGTranscodingCoder }.last
    }
}
