import Foundation
import Testing
import WebImageCore

struct ImageFormatTests {
    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let header: [UInt8] = [0, 0, 0, 0] + Array("IHDR".utf8) + [0, 0, 0, 0]

    /// Three packets of MPEG-TS.
    static func packets(_ step: Int, start: Int) -> [UInt8] {
        (0..<3 * step).map { $0 % step == start ? 0x47 : 0 }
    }

    static let signatures: [(bytes: [UInt8], format: ImageFormat)] = [
        ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
        (png + header + [0, 0, 0, 0] + Array("IDAT".utf8), .png),
        (png + header + [0, 0, 0, 8] + Array("acTL".utf8), .apng),
        (Array("GIF89a".utf8), .gif), (Array("GIF87a".utf8), .gif),
        ([0x49, 0x49, 0x2A, 0], .tiff), ([0x4D, 0x4D, 0, 0x2A], .tiff),
        (Array("RIFF____WEBPVP8 ".utf8), .webP),
        ([0, 0, 0, 24] + Array("ftypheic".utf8), .heic), ([0, 0, 0, 24] + Array("ftyphevx".utf8), .heic),
        ([0, 0, 0, 24] + Array("ftypmif1".utf8), .heif), ([0, 0, 0, 24] + Array("ftypmsf1".utf8), .heif),
        ([0, 0, 0, 24] + Array("ftypavif".utf8), .avif), ([0, 0, 0, 24] + Array("ftypavis".utf8), .avif),
        ([0, 0, 0, 24] + Array("ftypmif1____avif".utf8) + [0, 0, 0, 0], .avif),
        ([0, 0, 0, 24] + Array("ftypmiaf____mif1avif".utf8), .avif),
        ([0, 0, 0, 24] + Array("ftypMA1A____mif1avif".utf8), .avif),
        ([0, 0, 0, 24] + Array("ftypMA1B____miafavis".utf8), .avif),
        ([0, 0, 0, 24] + Array("ftypheim____mif1heic".utf8), .heic),
        ([0, 0, 0, 24] + Array("ftypheis____mif1heic".utf8), .heic),
        ([0, 0, 0, 24] + Array("ftypmiaf____mif1heic".utf8), .heif),
        ([0, 0, 0, 20] + Array("ftypMiHB____miaf".utf8), .heif),
        ([0, 0, 0, 24] + Array("ftypmp42____isommp41".utf8), .video),
        ([0, 0, 0, 16] + Array("ftypisom____avif".utf8), .video), ([0, 0, 0, 20] + Array("ftypqt  ____".utf8), .video),
        ([0, 0, 0, 24] + Array("ftypM4A ____isom".utf8), .undefined),
        ([0, 0, 0, 24] + Array("ftypabcd____isom".utf8), .undefined),
        ([9, 9, 9, 9] + Array("mdat____".utf8), .video), ([0x1A, 0x45, 0xDF, 0xA3] + Array("________".utf8), .video),
        (Array("RIFF____AVI ".utf8), .video), (packets(188, start: 0), .video), (packets(192, start: 4), .video),
        (packets(187, start: 0), .undefined), (Array("OggS________\u{1}vorbis".utf8), .undefined),
        (Array("OggS________".utf8) + [0x80] + Array("theora".utf8), .video),
        ([0, 0, 0, 20] + Array("ftypcrx ____isom".utf8), .raw), (Array("FUJIFILMCCD-RAW 0201".utf8), .raw),
        ([0, 0, 0, 12] + Array("jP  ".utf8) + [0x0D, 0x0A, 0x87, 0x0A], .jpeg2000),
        ([0xFF, 0x4F, 0xFF, 0x51, 0], .jpeg2000), ([0xFF, 0x4F, 0xFF], .undefined),
        (Array("{\"v\":\"5\",\"fr\":30,\"ip\":0,\"op\":9,\"w\":1}".utf8), .lottie),
        (Array("{\"v\":1,\"w\":2,\"h\":3}".utf8), .undefined), (Array("PK\u{3}\u{4}".utf8), .undefined),
        ([0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A], .jpegXL), ([0xFF, 0x0A, 1], .jpegXL),
        (Array("%PDF-1.7".utf8), .pdf), (Array("BM____".utf8), .bmp),
        ([0, 0, 1, 0, 1, 0], .ico), ([0, 0, 2, 0, 3, 0], .ico),
        (Array("<svg xmlns='x'></svg>".utf8), .svg), (Array("\u{FEFF}\n <?xml?><svg/></svg>".utf8), .svg),
        (
            Array(
                "<!--\(String(repeating: "licence > <svg> ", count: 200))-->\n<svg/>\n\(String(repeating: " ", count: 200))"
                    .utf8), .svg
        ),
        (Array("\(String(repeating: "\r\n", count: 900))<svg:svg>".utf8), .svg),
        (Array("<?xml?><!DOCTYPE svg [<!ENTITY a \"<html>\"> <!-- it's -->]><svg>".utf8), .svg),
        (Array("<!DOCTYPE svg PUBLIC \"-//>//\" 'x'><x:svg\n>".utf8), .svg),
        (Array("<html><svg></svg></html>".utf8), .undefined), (Array("<svgx></svg>".utf8), .undefined),
        (Array("<!-- <svg></svg>".utf8), .undefined), (Array("text <svg></svg>".utf8), .undefined),
        ([], .undefined), (Array("<html></html>".utf8), .undefined), (Array("GIX".utf8), .undefined),
        ([0xFF], .undefined), ([0], .undefined), (Array("RIFF____WAVE".utf8), .undefined),
    ]

    @Test(arguments: signatures.indices)
    func formatIsDetectedByContent(_ index: Int) {
        let (bytes, format) = Self.signatures[index]
        #expect(ImageFormat(sniffing: Data(bytes)) == format)
        // The format of a slice is the same, although the indices of the slice do not start at 0.
        #expect(ImageFormat(sniffing: (Data([1, 2, 3]) + Data(bytes)).dropFirst(3)) == format)
    }

    @Test func everyPrefixAndLyingChunkLengthIsSafe() {
        for (bytes, _) in Self.signatures {
            for length in 0...bytes.count { _ = ImageFormat(sniffing: Data(bytes.prefix(length))) }
        }
        let lying = Self.png + [0xFF, 0xFF, 0xFF, 0xFF] + Array("tEXt".utf8)
        #expect(ImageFormat(sniffing: Data(lying)) == .png)
    }

    @Test func namesAndNumbersEqualTheOriginals() {
        #expect(ImageFormat.avif.rawValue == 15 && ImageFormat.jpegXL.rawValue == 17 && ImageFormat.raw.rawValue == 10)
        #expect(ImageFormat(typeIdentifier: "public.png") == .png)
        #expect(ImageFormat(typeIdentifier: "public.heics") == .undefined)
        #expect(ImageFormat(fileExtension: "JPG") == .jpeg)
        #expect(ImageFormat.apng.container == .png)
    }
}
