import CWebImageCodecShim
import Foundation
import WebImageCore

/// Reads the text chunks of a PNG file (PNG third edition, §11.3.3). Reads at most 256 texts. Skips a text of more than
/// 64 KiB (inflated). Also skips a text if all texts together would exceed 1 MiB or `maxAncillaryChunkBytes`.
enum PNGTexts {
    private static let maxCount = 256
    private static let maxTextBytes = 64 << 10
    private static let (end, tags) = ("IEND" as FourCC, ["tEXt", "zTXt", "iTXt"] as [FourCC])

    static func read(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) -> [ImageProperties.Text] {
        var texts: [ImageProperties.Text] = []
        var left = min(limits.maxAncillaryChunkBytes, 1 << 20)
        var offset = 8
        while texts.count < maxCount, let length = bytes.bigEndian32(at: offset), let tag = bytes.tag(at: offset + 4),
            tag != end, let payload = bytes.range(at: offset + 8, count: length)
        {
            offset = payload.upperBound + 4
            guard tags.contains(tag), length <= limits.maxAncillaryChunkBytes,
                let text = text(tag, Data(bytes[payload]), atMost: min(left, maxTextBytes))
            else { continue }
            left -= text.text.utf8.count
            texts.append(text)
        }
        return texts
    }

    private static func text(_ tag: FourCC, _ payload: Data, atMost limit: Int) -> ImageProperties.Text? {
        guard let end = payload.firstIndex(of: 0), (1...79).contains(end - payload.startIndex), limit > 0 else {
            return nil
        }
        let keyword = latin1(payload[..<end])
        var rest = payload[(end + 1)...]
        // Skip XMP, because XMP is returned in `ImageProperties.xmp`.
        guard keyword != "XML:com.adobe.xmp" else { return nil }
        switch tag {
        case "tEXt": return rest.count <= limit ? .init(keyword: keyword, text: latin1(rest)) : nil
        case "zTXt":
            guard rest.first == 0, let text = inflated(rest.dropFirst(), atMost: limit) else { return nil }
            return .init(keyword: keyword, text: latin1(text))
        default:
            guard rest.count >= 2, let flag = rest.first else { return nil }
            rest = rest.dropFirst(2)
            for _ in 0..<2 {
                guard let end = rest.firstIndex(of: 0) else { return nil }
                rest = rest[(end + 1)...]
            }
            let text = flag == 1 ? inflated(rest, atMost: limit) : rest.count <= limit ? Data(rest) : nil
            return text.map { .init(keyword: keyword, text: String(decoding: $0, as: UTF8.self)) }
        }
    }

    private static func latin1(_ bytes: Data) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func inflated(_ bytes: Data, atMost limit: Int) -> Data? {
        var result = Data(count: limit)
        let count = result.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                cpng_inflate(
                    source.bindMemory(to: UInt8.self).baseAddress, source.count,
                    target.bindMemory(to: UInt8.self).baseAddress, target.count)
            }
        }
        return count < 0 ? nil : result.prefix(count)
    }
}
