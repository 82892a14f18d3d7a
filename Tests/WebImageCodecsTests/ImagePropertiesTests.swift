import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 5))
struct ImagePropertiesTests {
    private let tiff = ExifFile.sample(bigEndian: true)

    @Test(arguments: [false, true])
    func jpegPropertiesContainEXIFInBothByteOrders(_ bigEndian: Bool) throws {
        let exif = Data("Exif\0\0".utf8) + ExifFile.sample(bigEndian: bigEndian)
        let data = JPEGSample.inserting(0xe1, exif, into: try JPEGSample.gradient(20, 10))
        let properties = try ImageJPEGCoder.shared.imageProperties(of: data, limits: .default)
        #expect(properties.info.storedSize == PixelSize(width: 20, height: 10))
        #expect(properties.info.orientation == .right)
        #expect(properties.make == "Maker")
        #expect(properties.exposureTime == 1.0 / 250)
        #expect(properties.isoSpeed == 400)
        let latitude = try #require(properties.latitude)
        #expect(abs(latitude + 48.51) < 1e-9)
        #expect(properties.thumbnailData == ExifFile.thumbnail)
    }

    @Test func pngPropertiesContainTextAndXMP() throws {
        let xmp = Data("XML:com.adobe.xmp\0\0\0\0\0<x/>".utf8)
        var before = PNGBytes.chunk("tEXt", Data("Author\0Andr".utf8) + Data([0xE9]))
        before += PNGBytes.chunk("iTXt", Data("Title\0\0\0de\0Titel\0Grüße".utf8))
        before += PNGBytes.chunk("iTXt", xmp)
        before += PNGBytes.chunk("zTXt", Data("Comment\0\0".utf8) + PNGBytes.deflated([Array("eflated".utf8)]))
        before += PNGBytes.chunk("eXIf", tiff)
        let data = PNGBytes.file(header: PNGBytes.header(1, 1, color: 0), before: before, rows: [[1]])
        let properties = try ImagePNGCoder.shared.imageProperties(of: data, limits: .default)
        #expect(properties.texts.map(\.keyword) == ["Author", "Title", "Comment"])
        #expect(properties.texts.map(\.text) == ["André", "Grüße", "\0eflated"])
        #expect(properties.xmp == Data("<x/>".utf8))
        #expect(properties.make == "Maker")
    }

    @Test func webPPropertiesContainEXIF() throws {
        let bitstream = try WebPBytes.bitstream(try Sample.gradient(4, 4, .rgba8))
        let data = WebPBytes.riff(WebPBytes.extended(4, 4, flags: 8) + bitstream + WebPBytes.chunk("EXIF", tiff))
        #expect(try ImageWebPCoder.shared.imageProperties(of: data, limits: .default).make == "Maker")
    }

    @Test("Metadata cut off or changed at any byte is left out, never a crash or an error")
    func damage() throws {
        let jpeg = try JPEGSample.gradient(8, 8)
        for count in 0..<tiff.count {
            let cut = JPEGSample.inserting(0xe1, Data("Exif\0\0".utf8) + tiff.prefix(count), into: jpeg)
            _ = try ImageJPEGCoder.shared.imageProperties(of: cut, limits: .default)
            var changed = tiff
            changed[count] = 0xff
            let data = JPEGSample.inserting(0xe1, Data("Exif\0\0".utf8) + changed, into: jpeg)
            _ = try ImageJPEGCoder.shared.imageProperties(of: data, limits: .default)
        }
    }

    @Test(arguments: [1e300, .infinity, .nan, -1, 0.5], [0x8769, 0x8825])
    func invalidOffsetIsLeftOut(_ offset: Double, tag: Int) throws {
        var exif = Data("Exif\0\0II".utf8) + Data([42, 0, 8, 0, 0, 0, 1, 0])
        exif += Data([UInt8(tag & 255), UInt8(tag >> 8), 12, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0])
        exif += withUnsafeBytes(of: offset.bitPattern.littleEndian) { Data($0) }
        let data = JPEGSample.inserting(0xe1, exif, into: try JPEGSample.gradient(8, 8))
        let properties = try ImageJPEGCoder.shared.imageProperties(of: data, limits: .default)
        #expect(properties.tiff[tag]?.number?.bitPattern == offset.bitPattern)
        #expect(properties.exif.isEmpty && properties.gps.isEmpty)
    }

    /// A reader that goes on would also spend seconds on megabytes of empty chunks after the picture.
    @Test func textBehindTheEndIsNotRead() throws {
        let text = PNGBytes.chunk("tEXt", Data("Author\0A".utf8))
        let data = PNGBytes.file(header: PNGBytes.header(1, 1, color: 0), before: text, rows: [[1]]) + text
        let properties = try ImagePNGCoder.shared.imageProperties(of: data, limits: .default)
        #expect(properties.texts == [.init(keyword: "Author", text: "A")])
    }

    @Test func textThatInflatesBeyondTheLimitIsLeftOut() throws {
        let long = [UInt8](repeating: 65, count: 100_000)
        let before =
            PNGBytes.chunk("zTXt", Data("Long\0\0".utf8) + PNGBytes.deflated([long]))
            + PNGBytes.chunk("tEXt", Data("Short\0yes".utf8))
        let data = PNGBytes.file(header: PNGBytes.header(1, 1, color: 0), before: before, rows: [[1]])
        let properties = try ImagePNGCoder.shared.imageProperties(of: data, limits: .default)
        #expect(properties.texts == [.init(keyword: "Short", text: "yes")])
    }
}

/// An EXIF structure with one directory of each kind and a thumbnail.
enum ExifFile {
    static let thumbnail = Data([0xff, 0xd8, 0xff, 0xd9])

    static func sample(bigEndian: Bool) -> Data {
        func number(_ value: Int, _ count: Int) -> Data {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return Data(bigEndian ? bytes.reversed() : bytes)
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Data) -> Data {
            number(tag, 2) + number(type, 2) + number(count, 4) + (value + Data(count: 4)).prefix(4)
        }
        func directory(_ entries: [Data], next: Int = 0) -> Data {
            number(entries.count, 2) + entries.reduce(Data(), +) + number(next, 4)
        }
        // The first directory starts at offset 8 and has 4 entries (54 bytes). The Exif, GPS and second directories
        // start at the offsets 62, 92 and 122. Each of these three directories has 2 entries (30 bytes).
        let first = directory(
            [
                entry(0x010F, 2, 6, number(152, 4)), entry(0x0112, 3, 1, number(6, 2)),
                entry(0x8769, 4, 1, number(62, 4)), entry(0x8825, 4, 1, number(92, 4)),
            ], next: 122)
        let exif = directory([entry(0x829A, 5, 1, number(158, 4)), entry(0x8827, 3, 1, number(400, 2))])
        let gps = directory([entry(1, 2, 2, Data("S\0".utf8)), entry(2, 5, 3, number(166, 4))])
        let second = directory([entry(0x0201, 4, 1, number(190, 4)), entry(0x0202, 4, 1, number(4, 4))])
        let numbers = [1, 250, 48, 1, 30, 1, 36, 1].reduce(Data()) { $0 + number($1, 4) }
        let start = Data((bigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        return start + first + exif + gps + second + Data("Maker\0".utf8) + numbers + thumbnail
    }
}
