import CWebImageCodecShim
import Foundation
import WebImageCore

/// Writes the coefficients of a JPEG file again with optimal Huffman codes, in one scan or in progressive scans.
struct JPEGOptimizing {
    let optimizer: LosslessOptimizer
    let data: Data

    /// The segments that replace the file's, and how the picture is turned.
    private struct Rewriting {
        var turn = ImageOrientation.up
        /// Payloads with their signatures. Empty ones replace nothing.
        var exif = Data()
        var xmp = Data()
        var note: String?
    }

    func outcome() throws(WebImageError) -> LosslessOptimizer.Outcome {
        let properties = try ImageJPEGCoder.shared.imageProperties(of: data, limits: optimizer.limits)
        let segments = try data.withFileBytes { bytes throws(WebImageError) in
            try JPEGSegments(bytes, limits: optimizer.limits)
        }
        guard segments.furtherPictures.isEmpty else {
            return .kept("it has further pictures, such as a gain map, at fixed places")
        }
        let orientation = properties.info.orientation
        var rewriting = try rewriting(properties, turn: .up)
        var turned: (Data, rest: Int)?
        if optimizer.turnsUpright, orientation != .up {
            let wanted = try self.rewriting(properties, turn: orientation)
            if optimizer.keepsMetadata, properties.thumbnailData != nil {
                rewriting.note = "not turned: its EXIF thumbnail would lie on its side"
            } else if let file = try? written(wanted) {
                (turned, rewriting) = (file, wanted)
            } else {
                rewriting.note = "not turned: it has no whole number of blocks"
            }
        }
        try WorkBudget.checkCurrent()
        if turned == nil { turned = try written(rewriting) }
        guard let (picture, rest) = turned else { throw LosslessOptimizer.differs }
        let new = optimizer.keepsMetadata ? picture + data.suffix(rest) : picture
        guard new.count < data.count else {
            return .kept("no smaller form was found" + (rewriting.note.map { "; \($0)" } ?? ""))
        }
        try check(new, turned: rewriting.turn, against: properties)
        return .smaller(new, note: rewriting.note)
    }

    private func rewriting(_ properties: ImageProperties, turn: ImageOrientation) throws(WebImageError) -> Rewriting {
        var rewriting = Rewriting(turn: turn)
        var metadata = EmbeddedMetadata()
        if turn != .up {
            rewriting.note = "turned upright"
            if optimizer.keepsMetadata {
                metadata = EmbeddedMetadata(exif: properties.exifData, xmp: properties.xmp)
            }
        } else if !optimizer.keepsMetadata, properties.info.orientation != .up {
            metadata.orientation = properties.info.orientation
        } else {
            return rewriting
        }
        let segments = try JPEGMetadata(metadata, thumbnail: nil)
        (rewriting.exif, rewriting.xmp) = (segments.exif, segments.xmp)
        return rewriting
    }

    /// Returns the smallest file, and the number of bytes behind the picture in the old file.
    private func written(_ rewriting: Rewriting) throws(WebImageError) -> (Data, rest: Int) {
        var wanted = webimage_jpeg_rewriting()
        wanted.orientation = Int32(rewriting.turn.rawValue)
        wanted.keeps_markers = optimizer.keepsMetadata ? 1 : 0
        wanted.tries_scripts = optimizer.effort >= 5 ? 1 : 0
        wanted.should_stop = WorkBudget.shouldStop
        var encoded: UnsafeMutablePointer<UInt8>?
        var (count, rest) = (0, 0)
        var message = [CChar](repeating: 0, count: 200)
        let status = try data.withFileBytes { bytes throws(WebImageError) in
            try rewriting.exif.withFileBytes { exif throws(WebImageError) in
                try rewriting.xmp.withFileBytes { xmp throws(WebImageError) in
                    wanted.exif = webimage_jpeg_bytes(exif)
                    wanted.xmp = webimage_jpeg_bytes(xmp)
                    return webimage_jpeg_rewrite(
                        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, nanoseconds, &wanted, &encoded,
                        &count,
                        &rest, &message)
                }
            }
        }
        guard status == WEBIMAGE_JPEG_OK, let encoded else {
            try WorkBudget.checkCurrent()
            throw .badData(
                "libjpeg", String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
                hint: "The file was not changed.")
        }
        return (Data(bytesNoCopy: encoded, count: count, deallocator: .free), rest)
    }

    private var nanoseconds: Int64 { JPEGDecoder.nanoseconds(optimizer.limits) }

    /// Throws an error if the new file has other coefficients, another profile or another orientation. Pictures that are not
    /// turned are also compared pixel by pixel.
    private func check(_ new: Data, turned turn: ImageOrientation, against old: ImageProperties) throws(WebImageError) {
        let isSame = try data.withFileBytes { before throws(WebImageError) in
            try new.withFileBytes { after throws(WebImageError) in
                webimage_jpeg_is_same(
                    before.bindMemory(to: UInt8.self).baseAddress, before.count,
                    after.bindMemory(to: UInt8.self).baseAddress, after.count, Int32(turn.rawValue), nanoseconds) != 0
            }
        }
        let properties = try ImageJPEGCoder.shared.imageProperties(of: new, limits: optimizer.limits)
        guard isSame, properties.iccProfile == old.iccProfile,
            properties.info.orientation == (turn == .up ? old.info.orientation : .up)
        else { throw LosslessOptimizer.differs }
        guard turn == .up else { return }
        var options = DecodingOptions()
        options.limits = optimizer.limits
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        try LosslessOptimizer.check(
            try ImageJPEGCoder.shared.decode(new, options: options),
            equals: try ImageJPEGCoder.shared.decode(data, options: options))
    }
}
