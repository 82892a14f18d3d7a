import Foundation
import Testing
import WebImageCore
import WebImageTIFF

/// Decodes complete and truncated grey TIFF files. A complete file has two strips of two rows. The directory is before
/// the pixels.
struct BrokenStripTests {
    /// In memory, rows of 64 columns have no padding, but rows of 60 columns have padding.
    @Test(arguments: [64, 60])
    func aTIFFWithMissingRowsIsDamaged(width: Int) throws {
        let whole = Self.file(width: width)
        #expect(try Self.rows(whole, width: width) == [200, 201, 202, 203])
        for missing in [1, width + 1] {
            let error = #expect(throws: WebImageError.self) { try Self.rows(whole.dropLast(missing), width: width) }
            #expect(error?.code == .badImageData)
        }
    }

    @Test func withoutItsFirstStripThereIsNoPicture() {
        let file = Self.file(width: 64)
        #expect(throws: WebImageError.self) { try Self.rows(file.dropLast(64 * 3), width: 64) }
    }

    /// Returns for each row of the decoded image the value of all its pixels, or nil if the pixels differ.
    private static func rows(_ file: Data, width: Int) throws -> [UInt8?] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let pixels = try ImageTIFFCoder.shared.decode(Data(file), options: options).pixels
        return pixels.withUnsafeBytes { bytes in
            (0..<4).map { row in
                let reds = Set((0..<width).map { bytes[row * pixels.bytesPerRow + $0 * 4] })
                return reds.count == 1 ? reds.first : nil
            }
        }
    }

    private static func file(width: Int) -> Data {
        let head = 8 + 2 + 10 * 12 + 4 + 16
        let fields: [(tag: UInt16, type: UInt16, count: UInt32, value: Int)] = [
            (256, 3, 1, width), (257, 3, 1, 4), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
            (273, 4, 2, head - 16), (277, 3, 1, 1), (278, 3, 1, 2), (279, 4, 2, head - 8), (284, 3, 1, 1),
        ]
        var file = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0])
        func add(_ value: Int, bytes: Int) {
            for byte in 0..<bytes { file.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
        add(fields.count, bytes: 2)
        for field in fields {
            add(Int(field.tag), bytes: 2)
            add(Int(field.type), bytes: 2)
            add(Int(field.count), bytes: 4)
            add(field.value, bytes: 4)
        }
        add(0, bytes: 4)
        for value in [head, head + 2 * width, 2 * width, 2 * width] { add(value, bytes: 4) }
        for row in 0..<4 { file.append(contentsOf: Array(repeating: UInt8(200 + row), count: width)) }
        return file
    }
}
