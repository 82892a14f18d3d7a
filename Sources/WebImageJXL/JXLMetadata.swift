import CWebImageJXL
import Foundation
import WebImageCore

/// Reads and writes the boxes `Exif` and `xml ` of a JPEG XL file (ISO/IEC 18181-2 §9).
enum JXLMetadata {
    /// Stores EXIF and XMP in `properties`. The boxes can be compressed (`brob`). Leaves out damaged metadata and metadata above
    /// the limit for ancillary data.
    static func read(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, into properties: inout ImageProperties) {
        // A file that starts with a codestream has no boxes.
        guard bytes.count > 12, bytes[0] == 0,
            let decoder = try? JXLDecoder(bytes, events: JXL_DEC_BOX)
        else { return }
        let deadline = DecodeDeadline(limits)
        let boxes = decoder.metadataBoxes(deadline, mostBytes: limits.maxAncillaryChunkBytes)
        // The box begins with the place of the structure behind these four bytes.
        if let exif = boxes["Exif"], let place = exif.withUnsafeBytes({ $0.bigEndian32(at: 0) }), place < exif.count - 4
        {
            ExifReader.read(Data(exif.dropFirst(4 + place)), into: &properties)
        }
        properties.xmp = boxes["xml "]
    }

    /// Returns a file with EXIF and XMP in front of its picture.
    static func adding(_ metadata: EmbeddedMetadata, to file: Data) throws(WebImageError) -> Data {
        // The codestream has the orientation.
        var upright = metadata
        upright.orientation = .up
        var boxes = Data()
        if let exif = upright.exifWithOrientation { boxes += box("Exif", Data(count: 4) + exif) }
        if let xmp = upright.xmpWithOrientation { boxes += box("xml ", xmp) }
        guard !boxes.isEmpty else { return file }
        guard file.count < 1 << 31, boxes.count < 1 << 31 else {
            throw .cannotEncode("libjxl", "a file with metadata would be over 2 GiB")
        }
        return try inserting(boxes, into: file)
    }

    static func box(_ type: String, _ content: Data) -> Data {
        let count = content.count + 8
        return Data((0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }) + Data(type.utf8) + content
    }

    /// Returns a file with boxes in front of its codestream.
    ///
    /// - Parameter file: A codestream, or a file with boxes that libjxl has written.
    static func inserting(_ boxes: Data, into file: Data) throws(WebImageError) -> Data {
        guard file.first != 0xFF else {
            return box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A])) + box("ftyp", Data("jxl \0\0\0\0jxl ".utf8)) + boxes
                + box("jxlc", file)
        }
        // The last box can have no length, so that nothing can follow.
        let place = try file.withFileBytes { bytes throws(WebImageError) -> Int in
            var place = 0
            for box in try HEIFBoxReader(bytes).boxes(in: 0..<bytes.count) {
                if box.type.hasPrefix("jxl"), box.type != "jxll" { break }
                place = box.content.upperBound
            }
            return place
        }
        return file.prefix(place) + boxes + file.dropFirst(place)
    }
}

extension JXLDecoder {
    /// Returns the contents of the first boxes with EXIF and XMP, decompressed. A damaged file returns the boxes before the
    /// damage. A box above the limit ends the search.
    fileprivate func metadataBoxes(_ deadline: DecodeDeadline, mostBytes: Int) -> [String: Data] {
        guard libjxl.JxlDecoderSetDecompressBoxes(handle, 1) == JXL_DEC_SUCCESS else { return [:] }
        var found: [String: Data] = [:]
        var current: BoxBuffer?
        while found.count < 2, let status = try? next(deadline) {
            if status == JXL_DEC_BOX_NEED_MORE_OUTPUT, let box = current {
                box.release(libjxl, handle)
                guard box.filled <= mostBytes, box.lend(libjxl, handle) else { return found }
                continue
            }
            if let box = current {
                box.release(libjxl, handle)
                guard box.filled <= mostBytes, (try? deadline.check()) != nil else { return found }
                found[box.type] = box.content
                current = nil
            }
            guard status == JXL_DEC_BOX, let type = boxType else { return found }
            guard ["Exif", "xml "].contains(type), found[type] == nil else { continue }
            let box = BoxBuffer(type)
            guard box.lend(libjxl, handle) else { return found }
            current = box
        }
        return found
    }

    private var boxType: String? {
        var type = [CChar](repeating: 0, count: 4)
        guard libjxl.JxlDecoderGetBoxType(handle, &type, 1) == JXL_DEC_SUCCESS else { return nil }
        return String(decoding: type.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Memory that receives the content of a box. libjxl keeps its address until the buffer is released.
private final class BoxBuffer {
    let type: String
    private(set) var filled = 0
    private var memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 << 10)

    init(_ type: String) { self.type = type }

    deinit { memory.deallocate() }

    var content: Data { Data(memory.prefix(filled)) }

    /// Gives libjxl the free part of the memory, after making it larger if it is full. Returns whether libjxl takes it.
    func lend(_ libjxl: JXLFunctions, _ handle: OpaquePointer) -> Bool {
        if filled == memory.count {
            let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: memory.count * 2)
            _ = larger.update(fromContentsOf: memory)
            memory.deallocate()
            memory = larger
        }
        let start = memory.baseAddress.map { $0 + filled }
        return libjxl.JxlDecoderSetBoxBuffer(handle, start, memory.count - filled) == JXL_DEC_SUCCESS
    }

    /// Takes the memory back.
    func release(_ libjxl: JXLFunctions, _ handle: OpaquePointer) {
        filled = memory.count - libjxl.JxlDecoderReleaseBoxBuffer(handle)
    }
}
