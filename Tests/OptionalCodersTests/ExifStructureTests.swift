import Foundation
import Testing
import WebImageAVIF
import WebImageCodecs
import WebImageCore
import WebImageJXL
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// EXIF, XMP and density in JPEG XL and TIFF files, from one format to another.
@Suite(.timeLimit(minutes: 2))
struct ExifStructureTests {
    private static let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF>own</rdf:RDF></x:xmpmeta>".utf8)

    /// The bytes of a TIFF structure.
    private struct Structure {
        let isBigEndian: Bool
        var isBig = false
        var wordBytes: Int { isBig ? 8 : 4 }

        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? little.reversed() : little
        }

        /// Returns a directory at an offset, and then the values that do not fit.
        func directory(_ fields: [(tag: Int, type: Int, count: Int, values: [UInt8])], at offset: Int) -> [UInt8] {
            let head = isBig ? 8 : 2
            var place = offset + head + fields.count * (4 + 2 * wordBytes) + wordBytes
            var (bytes, behind) = (number(fields.count, head), [UInt8]())
            for field in fields {
                bytes += number(field.tag, 2) + number(field.type, 2) + number(field.count, wordBytes)
                if field.values.count > wordBytes {
                    bytes += number(place, wordBytes)
                    behind += field.values
                    place += field.values.count
                } else {
                    bytes += field.values + [UInt8](repeating: 0, count: wordBytes - field.values.count)
                }
            }
            return bytes + number(0, wordBytes) + behind
        }

        /// A structure with maker, copyright, density for a centimetre, exposure, a maker note and a position.
        ///
        /// - Parameter pixels: Whether the first directory also describes a grey picture of 2×1 pixels: black and white.
        func file(pixels: Bool) -> Data {
            func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
            func short(_ tag: Int, _ value: Int) -> (Int, Int, Int, [UInt8]) { (tag, 3, 1, number(value, 2)) }
            func long(_ tag: Int, _ value: Int) -> (Int, Int, Int, [UInt8]) { (tag, 4, 1, number(value, 4)) }
            func ratio(_ tag: Int, _ values: [(Int, Int)]) -> (Int, Int, Int, [UInt8]) {
                (tag, 5, values.count, values.flatMap { number($0.0, 4) + number($0.1, 4) })
            }
            let start = isBig ? 16 : 8
            let (exif, gps, samples) = (2000, 3000, 4000)
            var first: [(Int, Int, Int, [UInt8])] = []
            if pixels {
                first += [short(256, 2), short(257, 1), short(258, 8), short(259, 1), short(262, 1)]
            }
            first.append((271, 2, 8, text("Company")))
            if pixels { first += [long(273, samples), short(277, 1), short(278, 1), long(279, 2)] }
            first += [ratio(282, [(50, 1)]), ratio(283, [(100, 2)]), short(296, 3)]
            if pixels { first.append((700, 1, ExifStructureTests.xmp.count, Array(ExifStructureTests.xmp))) }
            first += [(33432, 2, 4, text("own")), long(0x8769, exif), long(0x8825, gps)]
            let mark: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
            let big = number(43, 2) + number(8, 2) + number(0, 2) + number(16, 8)
            let head = isBig ? big : number(42, 2) + number(8, 4)
            var data = Data(mark + head + directory(first, at: start))
            data.append(Data(count: exif - data.count))
            data.append(
                contentsOf: directory(
                    [
                        ratio(0x829A, [(1, 60)]), short(0x8827, 400), (0x9204, 10, 1, number(-1, 4) + number(3, 4)),
                        (0x927C, 7, 9, text("verbatim")), (0xA434, 2, 5, text("Lens")),
                    ], at: exif))
            data.append(Data(count: gps - data.count))
            data.append(
                contentsOf: directory(
                    [(1, 2, 2, text("S")), ratio(2, [(10, 1), (30, 1), (0, 1)])], at: gps))
            data.append(Data(count: samples - data.count))
            return data + [0, 255]
        }
    }

    private static let structures = [false, true].flatMap { isBigEndian in
        [false, true].map { Structure(isBigEndian: isBigEndian, isBig: $0) }
    }

    private func check(_ found: ImageProperties, _ text: String) {
        #expect(found.make == "Company" && found.copyright == "own", "\(text)")
        #expect(found.exposureTime == 1.0 / 60 && found.isoSpeed == 400 && found.lensModel == "Lens", "\(text)")
        #expect(found.exif[0x9204] == .rationals([.init(numerator: -1, denominator: 3)]), "\(text)")
        #expect(found.latitude == -10.5, "\(text)")
    }

    @Test func directoriesOfTIFFBecomeAStructure() throws {
        for structure in Self.structures {
            let text = "big-endian: \(structure.isBigEndian), BigTIFF: \(structure.isBig)"
            let file = structure.file(pixels: true)
            let found = try ImageTIFFCoder.shared.imageProperties(of: file, limits: .default)
            check(found, text)
            #expect(found.xmp == Self.xmp && found.info.pixelSize == PixelSize(width: 2, height: 1), "\(text)")
            #expect(found.density == PixelDensity(horizontal: 127, vertical: 127), "\(text)")
            // The tags of the pixels, and the maker note, are not part of the structure.
            #expect(Set(found.tiff.keys) == [271, 282, 283, 296, 33432, 0x8769, 0x8825], "\(text)")
            #expect(found.exifData?.range(of: Data("verbatim".utf8)) == nil, "\(text)")
            for length in stride(from: 0, to: file.count, by: 7) {
                _ = try? ImageTIFFCoder.shared.imageProperties(of: file.prefix(length), limits: .default)
            }
            var limits = DecodingLimits.default
            limits.maxAncillaryChunkBytes = 30
            let small = try ImageTIFFCoder.shared.imageProperties(of: file, limits: limits)
            #expect(small.make == "Company" && small.copyright == nil && small.xmp == nil, "\(text)")
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP, .avif, .jpegXL, .tiff])
    func metadataIsKeptInEveryFormat(format: ImageFormat) throws {
        let coders: [ImageFormat: any ImageCoder] = [
            .jpeg: ImageJPEGCoder.shared, .png: ImagePNGCoder.shared, .webP: ImageWebPCoder.shared,
            .avif: ImageAVIFCoder.shared, .jpegXL: ImageJPEGXLCoder.shared, .tiff: ImageTIFFCoder.shared,
        ]
        let coder = try #require(coders[format])
        let image = try TestImages.solid(width: 64, height: 32)
        for structure in Self.structures where !structure.isBig {
            for orientation in [ImageOrientation.up, .right] {
                let text = "\(format), big-endian: \(structure.isBigEndian), \(orientation)"
                var options = EncodingOptions()
                options.metadata = EmbeddedMetadata(exif: structure.file(pixels: false), xmp: Self.xmp)
                options.metadata.orientation = orientation
                options.metadata.density = PixelDensity(horizontal: 300, vertical: 150)
                let file = try coder.encode(image, format: format, options: options)
                let found = try coder.imageProperties(of: file, limits: .default)
                check(found, text)
                #expect(found.xmp == Self.xmp && found.info.orientation == orientation, "\(text)")
                let stored = [.jpeg, .png, .tiff].contains(format)
                let density = try #require(found.density)
                #expect(abs(density.horizontal - (stored ? 300 : 127)) < 0.01, "\(text)")
                #expect(abs(density.vertical - (stored ? 150 : 127)) < 0.01, "\(text)")
                let decoded = try coder.decode(file, options: DecodingOptions())
                let size = orientation == .up ? PixelSize(width: 64, height: 32) : PixelSize(width: 32, height: 64)
                #expect(decoded.pixelSize == size, "\(text)")
            }
            let plain = try coder.encode(image, format: format, options: EncodingOptions())
            let none = try coder.imageProperties(of: plain, limits: .default)
            #expect(none.copyright == nil && none.xmp == nil && none.density == nil, "\(format)")
        }
    }

    /// Written by cjxl 0.7 (pixels) and brotli: EXIF with a copyright and an artist, and XMP, in boxes `brob`.
    @Test func compressedBoxesOfJPEGXLAreRead() throws {
        let text = """
            AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAABNYnJvYkV4aWYbrQAAxPJ2/8mU9EkQTJd+/VNQ2PjNVCXxgGvRSVolUk4CD9n2\
            REBDqGbI2wCmBjZjk94PrurzOC2iy/t2zDMEAwAAAFBicm9ieG1sIBtlAABE3Zbq2+P6mE8i3ZDFporFO+WAPat5QYKBXEDuMVauLZarjJK5\
            7kLjfkVtFu8rSUhv4KE3Jnttcf42WDBEiFcAAAAALWp4bGP/CkFAUFwICAIBAGAASygkxjcUJCTFxIkAnwAPWMACFrCABSwA
            """
        let file = try #require(Data(base64Encoded: text))
        let found = try ImageJPEGXLCoder.shared.imageProperties(of: file, limits: .default)
        #expect(found.artist == "A. Artist" && found.copyright?.hasPrefix("own own") == true)
        #expect(found.xmp?.range(of: Data("own own".utf8)) != nil)
        var limits = DecodingLimits.default
        limits.maxAncillaryChunkBytes = 40
        let none = try ImageJPEGXLCoder.shared.imageProperties(of: file, limits: limits)
        #expect(none.exifData == nil && none.xmp == nil && none.info.pixelSize.width == 8)
        for length in 0..<file.count {
            _ = try? ImageJPEGXLCoder.shared.imageProperties(of: file.prefix(length), limits: .default)
        }
    }

    /// Grey of 16 bits is one channel in the file, and its values are read as they were.
    @Test(arguments: [ImageFormat.png, .tiff], [false, true])
    func deepGrayIsWrittenAsGray(format: ImageFormat, hasColor: Bool) throws {
        let coder: any ImageCoder = format == .png ? ImagePNGCoder.shared : ImageTIFFCoder.shared
        let pixels = try PixelBuffer(width: 50, height: 20, format: .rgba16)
        for row in 0..<20 {
            let values = (pixels.baseAddress + row * pixels.bytesPerRow).assumingMemoryBound(to: UInt16.self)
            for pixel in 0..<50 {
                let gray = UInt16(pixel * 1307 + row * 31)
                for channel in 0..<3 { values[pixel * 4 + channel] = gray }
                values[pixel * 4 + 3] = .max
            }
            if hasColor, row == 19 { values[49 * 4 + 2] = 7 }
        }
        var options = EncodingOptions()
        options.lossless = true
        let file = try coder.encode(Image(pixels: pixels, hasAlpha: false), format: format, options: options)
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.bitDepth == 16 && info.isGray == !hasColor)
        var decoding = DecodingOptions()
        decoding.decodesToHDR = true
        let decoded = try coder.decode(file, options: decoding)
        #expect(decoded.pixels.format == .rgba16)
        for row in 0..<20 {
            let (found, wanted) = (decoded.pixels, pixels)
            let same = memcmp(
                found.baseAddress + row * found.bytesPerRow, wanted.baseAddress + row * wanted.bytesPerRow, 50 * 8)
            #expect(same == 0, "row \(row)")
        }
    }
}
