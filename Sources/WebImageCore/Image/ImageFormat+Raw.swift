import Foundation

extension ImageFormat {
    /// Whether a file that is no TIFF file is a raw file of a camera. Looks at the signature only.
    static func isOwnRaw(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let signatures: [(offset: Int, text: StaticString)] = [
            (4, "ftypcrx "),  // CR3
            (0, "FUJIFILMCCD-RAW "),  // RAF
            (0, "IIRO"), (0, "IIRS"), (0, "MMOR"),  // ORF
            (0, "IIU\0"),  // RW2
            (0, "FOVb"),  // X3F
            (0, "\0MRM"),  // MRW
            (6, "HEAPCCDR"),  // CRW
        ]
        return signatures.contains { signature in
            let count = signature.text.utf8CodeUnitCount
            return bytes.count >= signature.offset + count
                && bytes[signature.offset..<signature.offset + count]
                    .elementsEqual(UnsafeBufferPointer(start: signature.text.utf8Start, count: count))
        }
    }

    /// Whether a TIFF file is a raw file of a camera: DNG by its version; others if a directory has the samples of a sensor
    /// with a pattern of colours, or a compression that only a maker of cameras uses. Without the whole first directory the
    /// file counts as TIFF.
    static func isRawTIFF(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.count > signatureLength, bytes[8] == UInt8(ascii: "C"), bytes[9] == UInt8(ascii: "R") { return true }
        let file = TIFFDirectories(bytes)
        guard let first = file.directory(at: file.number(at: 4, 4)) else { return false }
        if first[50706] != nil { return true }
        // Fields of a scanner's or an editor's TIFF file can name a camera. Its directories have ordinary samples.
        guard first[271] != nil else { return false }
        let others = file.values(first[330], most: 8).compactMap { file.directory(at: $0) }
        return ([first] + others).contains { directory in
            file.values(directory[262], most: 1).first == 32803
                || [34713, 32767, 32769, 32770, 65535, 65000].contains(file.values(directory[259], most: 1).first ?? 0)
        }
    }
}

/// Reads directories of a TIFF file in memory without any claim to read pictures.
private struct TIFFDirectories {
    private let bytes: UnsafeRawBufferPointer
    private let isLittle: Bool

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isLittle = bytes.first == UInt8(ascii: "I")
    }

    struct Field {
        let type: Int
        let count: Int
        let place: Int
    }

    func number(at place: Int, _ size: Int) -> Int {
        guard place >= 0, size <= bytes.count, place <= bytes.count - size else { return 0 }
        let part = bytes[place..<place + size]
        return isLittle ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The fields of a directory by their tags; nil if the bytes do not contain it.
    func directory(at place: Int) -> [Int: Field]? {
        guard place >= 8, place <= bytes.count - 2 else { return nil }
        let count = number(at: place, 2)
        guard 1...512 ~= count, place + 2 + 12 * count <= bytes.count else { return nil }
        var fields: [Int: Field] = [:]
        for index in 0..<count {
            let at = place + 2 + 12 * index
            fields[number(at: at, 2)] = Field(type: number(at: at + 2, 2), count: number(at: at + 4, 4), place: at + 8)
        }
        return fields
    }

    /// The first numbers of a field of short or long numbers.
    func values(_ field: Field?, most: Int) -> [Int] {
        guard let field, [3, 4, 13].contains(field.type) else { return [] }
        let size = field.type == 3 ? 2 : 4
        let start = field.count * size <= 4 ? field.place : number(at: field.place, 4)
        return (0..<min(field.count, most)).map { number(at: start + $0 * size, size) }
    }
}
