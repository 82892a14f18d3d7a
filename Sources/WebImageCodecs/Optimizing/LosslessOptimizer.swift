package import Foundation
package import WebImageCore

/// Makes PNG, APNG, JPEG and GIF files smaller. Every pixel, frame, delay and colour profile stays as it is, which is checked:
/// the result is decoded and compared with the file.
package struct LosslessOptimizer: Sendable {
    /// How much time the compression may take, 1 to 9.
    package var effort: Int
    /// Whether EXIF, XMP, texts, comments and unknown chunks are kept. What changes how a picture is shown is always kept:
    /// colour profiles, densities, and the orientation.
    package var keepsMetadata: Bool
    /// Whether a JPEG is turned upright by its EXIF orientation, if that is possible without a loss.
    package var turnsUpright: Bool
    package var limits: DecodingLimits

    package init(effort: Int, keepsMetadata: Bool, turnsUpright: Bool, limits: DecodingLimits) {
        self.effort = effort
        self.keepsMetadata = keepsMetadata
        self.turnsUpright = turnsUpright
        self.limits = limits
    }

    /// What became of a file.
    package enum Outcome: Sendable {
        /// A smaller file, and what else changed. Nil if nothing else did.
        case smaller(Data, note: String?)
        /// The file stays as it is, for this reason.
        case kept(String)
    }

    /// Returns a smaller file that shows the same.
    ///
    /// - Throws: `.badImageData` if the file is damaged, `.limitExceeded` if it exceeds a limit, `.encodingFailed` if the
    ///   result does not show the same.
    package func optimized(_ data: Data) throws(WebImageError) -> Outcome {
        try limits.checkEncodedBytes(data.count)
        let format = ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength))
        switch format {
        case .png, .apng: return try PNGOptimizing(self, data).outcome()
        case .jpeg: return try JPEGOptimizing(optimizer: self, data: data).outcome()
        case .gif: return try GIFOptimizing(optimizer: self, data: data).outcome()
        default: return .kept("\(format) is not optimised")
        }
    }

    /// Throws an error if two files do not show the same frames for the same time.
    func check<Coder: BuiltInAnimatedImageCoder>(
        _ new: Data, shows old: Data, by coder: Coder.Type, as pixelFormat: PixelFormat
    ) throws(WebImageError) {
        var options = DecodingOptions()
        options.limits = limits
        options.pixelFormat = pixelFormat
        options.colorConversion = .asStored
        let (before, after) = (
            try Coder(animation: old, options: options), try Coder(animation: new, options: options)
        )
        let count = before.animatedImageFrameCount
        guard count == after.animatedImageFrameCount, before.animatedImageLoopCount == after.animatedImageLoopCount,
            before.animatedImagePlayCount == after.animatedImagePlayCount
        else { throw Self.differs }
        for index in 0..<count {
            guard before.animatedImageDuration(at: index) == after.animatedImageDuration(at: index) else {
                throw Self.differs
            }
            try Self.check(try after.frame(at: index), equals: try before.frame(at: index))
        }
    }

    static func check(_ new: Image, equals old: Image) throws(WebImageError) {
        let (before, after) = (old.pixels, new.pixels)
        guard before.width == after.width, before.height == after.height, before.format == after.format,
            old.colorProfile?.iccData == new.colorProfile?.iccData
        else { throw differs }
        let count = before.width * before.format.bytesPerPixel
        for row in 0..<before.height
        where memcmp(
            before.baseAddress + row * before.bytesPerRow, after.baseAddress + row * after.bytesPerRow, count) != 0
        {
            throw differs
        }
    }

    static let differs = WebImageError.cannotEncode(
        "optimize", "the smaller file would not show the same", hint: "The file was not changed.")
}
