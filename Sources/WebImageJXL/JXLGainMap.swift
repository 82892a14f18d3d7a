import Foundation
import WebImageCore
import WebImageGraphics

/// The gain map in the box `jhgm` of a JPEG XL file (ISO/IEC 18181-2 annex C): the metadata of ISO 21496-1, the colours of the
/// alternate picture, and a codestream. libjxl before version 0.11 passes over the box.
struct JXLGainMap {
    private let pictures: JXLPictures
    /// The map without its values.
    let description: GainMap

    /// Returns nil if the file has no map, or if the box is damaged: the base picture is there.
    init?(findingIn bytes: UnsafeRawBufferPointer, limits: DecodingLimits, deadline: DecodeDeadline) {
        // A file that starts with a codestream has no boxes.
        guard bytes.count > 12, bytes[0] == 0, let boxes = try? HEIFBoxReader(bytes).boxes(in: 0..<bytes.count),
            let box = boxes.first(where: { $0.type == "jhgm" }),
            let bundle = Bundle(UnsafeRawBufferPointer(rebasing: bytes[box.content])),
            let pictures = try? JXLPictures(bundle.codestream, limits: limits, deadline: deadline, isMap: true),
            !pictures.declaresAnimation
        else { return nil }
        self.pictures = pictures
        let size = pictures.info.pixelSize
        description = GainMap(
            metadata: bundle.metadata, size: size, channelCount: pictures.info.isGray ? 1 : 3)
    }

    /// Decodes the part of the map that belongs to a result of the base.
    func decoded(
        _ options: DecodingOptions, base info: ImageInfo, deadline: DecodeDeadline
    ) throws(WebImageError) -> GainMap {
        try description.decoded(options, base: info, own: pictures.info) { own throws(WebImageError) in
            try pictures.picture(at: 0, options: own, deadline: deadline)
        }
    }

    /// The content of the box.
    private struct Bundle {
        let metadata: GainMapMetadata
        let codestream: UnsafeRawBufferPointer

        init?(_ bytes: UnsafeRawBufferPointer) {
            let file = HEIFBoxReader(bytes)
            let all = HEIFBoxReader.Box(type: "jhgm", content: 0..<bytes.count)
            func number(_ offset: Int, _ count: Int) -> Int? { try? file.number(at: offset, bytes: count, in: all) }
            guard number(0, 1) == 0, let count = number(1, 2), let colorCount = number(3 + count, 1),
                let profileCount = number(4 + count + colorCount, 4),
                let metadata = try? GainMapMetadata(iso: Data(bytes[3..<3 + count]))
            else { return nil }
            // The alternate picture's colours are packed in libjxl's own way. Factors for channels that are not known would
            // give wrong colours.
            guard metadata.usesBaseColorSpace || (colorCount == 0 && profileCount == 0) else { return nil }
            let start = 8 + count + colorCount + profileCount
            guard start < bytes.count - 2, bytes[start] == 0xFF, bytes[start + 1] == 0x0A else { return nil }
            (self.metadata, codestream) = (metadata, UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}

extension GainMap {
    /// Returns a JPEG XL file with this map.
    ///
    /// - Parameters:
    ///   - file: A codestream, or a file with boxes that libjxl has written.
    ///   - codestream: The values of the map.
    func added(to file: Data, codestream: Data) throws(WebImageError) -> Data {
        func big(_ value: Int, _ count: Int) -> Data {
            Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) })
        }
        guard file.count < 1 << 31, codestream.count < 1 << 31 else {
            throw .cannotEncode("libjxl", "a file with a gain map would be over 2 GiB")
        }
        let payload = metadata.isoPayload
        let map = JXLMetadata.box(
            "jhgm", Data([0]) + big(payload.count, 2) + payload + Data([0]) + big(0, 4) + codestream)
        guard file.first != 0xFF else {
            return JXLMetadata.box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A]))
                + JXLMetadata.box("ftyp", Data("jxl \0\0\0\0jxl ".utf8)) + JXLMetadata.box("jxlc", file) + map
        }
        return try JXLMetadata.inserting(map, into: file)
    }
}
