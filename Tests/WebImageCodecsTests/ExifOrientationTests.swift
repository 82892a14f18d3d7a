import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct ExifOrientationTests {
    @Test(arguments: ImageOrientation.allCases, [true, false])
    func everyValueIsReadInBothByteOrders(orientation: ImageOrientation, bigEndian: Bool) {
        let tiff = ExifSample.tiff(orientation: orientation.rawValue, bigEndian: bigEndian)
        #expect(ExifOrientation.orientation(exif: tiff) == orientation)
        #expect(ExifOrientation.orientation(exif: Data("Exif\0\0".utf8) + tiff) == orientation)
        let slice = (Data("before".utf8) + tiff).dropFirst(6)
        #expect(ExifOrientation.orientation(exif: slice) == orientation)
    }

    @Test(arguments: [0, 9, 255, 65535])
    func valuesOutsideTheStandardAreIgnored(value: Int) {
        #expect(ExifOrientation.orientation(exif: ExifSample.tiff(orientation: value, bigEndian: true)) == nil)
    }

    @Test func damagedMetadataIsIgnored() {
        let tiff = ExifSample.tiff(orientation: 6, bigEndian: false)
        for length in 0..<20 { #expect(ExifOrientation.orientation(exif: tiff.prefix(length)) == nil) }
        for index in tiff.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
                var damaged = tiff
                damaged[index] = value
                _ = ExifOrientation.orientation(exif: damaged)
            }
        }
    }

    @Test(arguments: [
        (#"<rdf:Description tiff:Orientation="3"/>"#, 3), ("<tiff:Orientation>6</tiff:Orientation>", 6),
        ("tiff:Orientation = '8'", 8), (#"tiff:OrientationX="2" tiff:Orientation="5""#, 5),
    ])
    func xmpIsReadAsAttributeAndElement(packet: String, expected: Int) {
        #expect(ExifOrientation.orientation(xmp: Data(packet.utf8))?.rawValue == expected)
        #expect(ExifOrientation.orientation(xmp: Data("x\(packet)".utf8).dropFirst())?.rawValue == expected)
    }

    @Test(arguments: ["", "tiff:Orientation", "tiff:Orientation=", #"tiff:Orientation="0""#, #"tiff:Orientation="12""#])
    func meaninglessXMPIsIgnored(packet: String) {
        #expect(ExifOrientation.orientation(xmp: Data(packet.utf8)) == nil)
    }
}

/// Builds EXIF data byte by byte.
enum ExifSample {
    /// Returns a TIFF structure whose only entry is the orientation.
    static func tiff(orientation: Int, bigEndian: Bool) -> Data {
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return bigEndian ? bytes.reversed() : bytes
        }
        var data = Data((bigEndian ? "MM" : "II").utf8)
        data += number(42, 2) + number(8, 4) + number(1, 2)
        data += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        return data + number(0, 4)
    }
}
