import Foundation
import WebImageCore

/// Writes a copy of a HEIF file with references that every libheif accepts.
///
/// iPhones since iOS 18 write a gain map and metadata that belong to two items: to the picture and to its version with a
/// larger dynamic range (`tmap`, ISO 21496-1). libheif 1.15 and 1.19 refuse the whole file, because they expect exactly
/// one item at the end of these references.
struct HEIFReferences {
    private struct Reference {
        let type: String
        let from: Int
        var to: [Int]
    }

    /// The types of references that libheif accepts only with one target: auxiliary pictures, thumbnails, metadata.
    private static let single: Set<String> = ["auxl", "thmb", "cdsc"]

    private let file: HEIFBoxReader
    private let items: HEIFItems

    init(_ bytes: UnsafeRawBufferPointer, _ items: HEIFItems) {
        (file, self.items) = (HEIFBoxReader(bytes), items)
    }

    /// Returns the copy; nil if libheif accepts the references of the file itself.
    ///
    /// The copy ends with a second `meta` box, and the first one becomes free space. So no byte of the pictures moves, and
    /// the positions of the items stay valid.
    func acceptedCopy() throws(WebImageError) -> [UInt8]? {
        // libheif refuses a file that was cut.
        guard !items.reachesBeyondFile else { return nil }
        let top = try parts(of: 0..<file.bytes.count)
        let metas = top.filter { $0.box.type == "meta" }
        guard metas.count == 1, let meta = metas.first else { return nil }
        let inner = try parts(of: file.rest(of: meta.box.content, after: 4))
        let references = inner.filter { $0.box.type == "iref" }
        guard references.count == 1, let old = references.first, let new = try accepted(old.box) else { return nil }

        var content = Array(file.bytes[meta.box.content.prefix(4)])
        for part in inner {
            content += part.start == old.start ? new : Array(file.bytes[part.start..<part.box.content.upperBound])
        }
        // The last box can declare that it ends with the file, or later. It must not contain the bytes that follow now.
        guard let last = top.last, content.count < 1 << 31, last.box.content.upperBound < 1 << 31 else { return nil }
        var copy = Array(file.bytes[..<last.box.content.upperBound])
        let size = copy.count - last.start
        let isLong = last.box.content.lowerBound - last.start == 16
        copy.replaceSubrange(last.start..<last.start + 4, with: Self.big(isLong ? 1 : size, 4))
        if isLong { copy.replaceSubrange(last.start + 8..<last.start + 16, with: Self.big(size, 8)) }
        copy.replaceSubrange(meta.start + 4..<meta.start + 8, with: "free".utf8)
        return copy + Self.big(content.count + 8, 4) + Array("meta".utf8) + content
    }

    /// Returns the boxes in a range with the positions of their headers.
    private func parts(of range: Range<Int>) throws(WebImageError) -> [(start: Int, box: HEIFBoxReader.Box)] {
        var start = range.lowerBound
        var parts: [(start: Int, box: HEIFBoxReader.Box)] = []
        for box in try file.boxes(in: range) {
            parts.append((start, box))
            start = box.content.upperBound
        }
        return parts
    }

    /// Returns a box with references of one target; nil if the box can stay.
    private func accepted(_ box: HEIFBoxReader.Box) throws(WebImageError) -> [UInt8]? {
        let numberBytes = try file.version(of: box) == 0 ? 2 : 4
        var (bytes, isChanged) = (Array(file.bytes[box.content.prefix(4)]), false)
        for part in try file.boxes(in: file.rest(of: box.content, after: 4)) {
            // A type that is not text would change in the copy.
            guard part.type.utf8.count == 4 else { return nil }
            let reference = try self.reference(part, numberBytes: numberBytes)
            var targets = reference.to
            if Self.single.contains(reference.type) {
                targets.removeAll { items.types[$0] == ["tmap"] }
                if targets.count > 1 { targets = [targets.first { items.primary.contains($0) } ?? targets[0]] }
                isChanged = isChanged || targets != reference.to
                if targets.isEmpty { continue }
            }
            var content = Self.big(reference.from, numberBytes) + Self.big(targets.count, 2)
            for target in targets { content += Self.big(target, numberBytes) }
            bytes += Self.big(content.count + 8, 4) + Array(reference.type.utf8) + content
        }
        return isChanged ? Self.big(bytes.count + 8, 4) + Array("iref".utf8) + bytes : nil
    }

    private func reference(_ box: HEIFBoxReader.Box, numberBytes: Int) throws(WebImageError) -> Reference {
        var offset = box.content.lowerBound
        func next(_ bytes: Int) throws(WebImageError) -> Int {
            defer { offset += bytes }
            return try file.number(at: offset, bytes: bytes, in: box)
        }
        var reference = Reference(type: box.type, from: try next(numberBytes), to: [])
        for _ in 0..<(try next(2)) { reference.to.append(try next(numberBytes)) }
        return reference
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
