import Foundation
import Testing
import WebImageCodecs
import WebImageCore

/// Tests EXIF, XMP and orientation that the encoders write, and icons.
struct EmbeddedMetadataTests {
    private static let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'>quoted &amp; long</x:xmpmeta>".utf8)

    private func coder(_ format: ImageFormat) -> any ImageCoder {
        switch format {
        case .png, .apng: ImagePNGCoder.shared
        case .webP: ImageWebPCoder.shared
        default: ImageJPEGCoder.shared
        }
    }

    private func file(_ format: ImageFormat, _ metadata: EmbeddedMetadata) throws -> Data {
        var options = EncodingOptions()
        options.metadata = metadata
        return try coder(format).encode(
            Image(pixels: try Sample.gradient(64, 48, .rgb8)), format: format, options: options)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP])
    func metadataIsWrittenAndDoesNotChangePixels(format: ImageFormat) throws {
        let exif = ExifSample.tiff(orientation: 6, bigEndian: true)
        let plain = try file(format, EmbeddedMetadata())
        let written = try file(format, EmbeddedMetadata(exif: exif, xmp: Self.xmp))
        let properties = try coder(format).imageProperties(of: written, limits: .default)
        #expect(properties.xmp == Self.xmp)
        #expect(properties.exifData == ExifSample.tiff(orientation: 1, bigEndian: true))
        #expect(properties.info.orientation == .up)
        let decoded = try coder(format).decode(written, options: DecodingOptions())
        let same = try coder(format).decode(plain, options: DecodingOptions())
        #expect(decoded.pixels.withUnsafeBytes { Data($0) } == same.pixels.withUnsafeBytes { Data($0) })
        let none = try coder(format).imageProperties(of: plain, limits: .default)
        #expect(none.exifData == nil && none.xmp == nil)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP], ImageOrientation.allCases)
    func fileDeclaresTheGivenOrientation(format: ImageFormat, orientation: ImageOrientation) throws {
        for exif in [nil, ExifSample.tiff(orientation: 3, bigEndian: false), Self.artist, Data("broken".utf8)] {
            var metadata = EmbeddedMetadata(exif: exif)
            metadata.orientation = orientation
            let written = try file(format, metadata)
            let properties = try coder(format).imageProperties(of: written, limits: .default)
            #expect(properties.info.orientation == orientation)
            #expect(properties.info.storedSize == PixelSize(width: 64, height: 48))
            if exif == Self.artist { #expect(properties.artist == "A. Artist") }
        }
    }

    /// A big-endian structure with the entries 0x010F (make), 0x013B (artist) and no orientation. Its values are
    /// outside the entries.
    private static let artist: Data = {
        var data = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2])
        data += [0x01, 0x0F, 0, 2, 0, 0, 0, 6, 0, 0, 0, 38] + [0x01, 0x3B, 0, 2, 0, 0, 0, 10, 0, 0, 0, 44]
        return data + [0, 0, 0, 0] + Data("Maker\0".utf8) + Data("A. Artist\0".utf8)
    }()

    /// An orientation in XMP would apply to a file without an orientation in EXIF.
    @Test(arguments: [ImageFormat.png, .webP]) func orientationInXMPDoesNotTurnUprightPixels(format: ImageFormat) throws
    {
        let packet = Data("<rdf:Description tiff:Orientation=\"6\"/>".utf8)
        let written = try file(format, EmbeddedMetadata(xmp: packet))
        let properties = try coder(format).imageProperties(of: written, limits: .default)
        let upright = Data("<rdf:Description tiff:Orientation=\"1\"/>".utf8)
        #expect(properties.info.orientation == .up && properties.xmp == upright)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP], ImageOrientation.allCases)
    func orientationInXMPIsThatOfTheFile(format: ImageFormat, orientation: ImageOrientation) throws {
        let packets = [
            "<a tiff:Orientation=\"6\"/>", "<a tiff:Orientation = '8' tiff:OrientationX=\"6\"/>",
            "<tiff:Orientation>3</tiff:Orientation><tiff:Orientation> 5 </tiff:Orientation>",
            "<a tiff:Orientation=\"60\"/>",
        ]
        let number = orientation.rawValue
        let written = [
            "<a tiff:Orientation=\"\(number)\"/>", "<a tiff:Orientation = '\(number)' tiff:OrientationX=\"6\"/>",
            "<tiff:Orientation>\(number)</tiff:Orientation><tiff:Orientation> \(number) </tiff:Orientation>",
            packets[3],
        ]
        for (packet, expected) in zip(packets, written) {
            var metadata = EmbeddedMetadata(xmp: Data(packet.utf8))
            metadata.orientation = orientation
            let properties = try coder(format).imageProperties(of: try file(format, metadata), limits: .default)
            #expect(properties.xmp.map { String(decoding: $0, as: UTF8.self) } == expected)
            #expect(properties.info.orientation == orientation)
        }
    }

    @Test(arguments: [ImageFormat.apng, .webP]) func animationsContainTheMetadata(format: ImageFormat) throws {
        var options = EncodingOptions()
        options.metadata = EmbeddedMetadata(exif: Self.artist, xmp: Self.xmp)
        options.metadata.orientation = .right
        let frames = try (0..<3).map {
            ImageFrame(image: Image(pixels: try Sample.gradient(16 + 0 * $0, 12, .rgb8)), duration: 0.1)
        }
        let coder = coder(format)
        let written = try coder.encode(frames, loopCount: 0, format: format.container, options: options)
        let properties = try self.coder(format).imageProperties(of: written, limits: .default)
        #expect(properties.artist == "A. Artist" && properties.xmp == Self.xmp)
        #expect(properties.info.orientation == .right && properties.info.frameCount == 3)
    }

    /// Every prefix and every damaged byte of EXIF gives a file that can be read.
    @Test func damagedExifIsWrittenOrReplaced() throws {
        for length in 0...Self.artist.count {
            for orientation in [ImageOrientation.up, .left] {
                var metadata = EmbeddedMetadata(exif: Self.artist.prefix(length))
                metadata.orientation = orientation
                let written = try file(.png, metadata)
                #expect(try ImagePNGCoder.shared.imageInfo(of: written, limits: .default).orientation == orientation)
            }
        }
        for index in Self.artist.indices {
            var exif = Self.artist
            exif[index] = 0xFF
            var metadata = EmbeddedMetadata(exif: exif)
            metadata.orientation = .down
            _ = try file(.png, metadata)
        }
    }

    // MARK: Icons

    @Test(arguments: [(16, 16, true), (256, 256, false), (1, 256, true), (255, 3, false)])
    func iconsAreWrittenAndRead(row: (width: Int, height: Int, hasAlpha: Bool)) throws {
        let image = Image(
            pixels: try Sample.gradient(row.width, row.height, .rgba8), hasAlpha: row.hasAlpha)
        let coder = ImageICOCoder.shared
        #expect(coder.canEncode(to: .ico) && !coder.canEncode(to: .png))
        let data = try coder.encode(image, format: .ico, options: EncodingOptions())
        #expect(ImageFormat(sniffing: data) == .ico)
        let info = try coder.imageInfo(of: data, limits: .default)
        #expect(info.pixelSize == PixelSize(width: row.width, height: row.height) && info.hasAlpha == row.hasAlpha)
        let decoded = try coder.decode(data, options: DecodingOptions())
        #expect(decoded.pixelSize == info.pixelSize && decoded.imageFormat == .ico)
        // Width, height and depth in the directory; 0 means 256.
        #expect(Int(data[6]) == row.width % 256 && Int(data[7]) == row.height % 256)
        #expect(data[12] == (row.hasAlpha ? 32 : 24))
    }

    @Test func iconOfMoreThan256PixelsIsRefusedUnlessItIsScaledDown() throws {
        let image = Image(pixels: try Sample.gradient(300, 100, .rgba8))
        let error = #expect(throws: WebImageError.self) {
            try ImageICOCoder.shared.encode(image, format: .ico, options: EncodingOptions())
        }
        #expect(error?.code == .encodingFailed)
        var options = EncodingOptions()
        options.maxPixelSize = PixelSize(width: 256, height: 256)
        let data = try ImageICOCoder.shared.encode(image, format: .ico, options: options)
        let info = try ImageICOCoder.shared.imageInfo(of: data, limits: .default)
        #expect(info.pixelSize == PixelSize(width: 256, height: 86))
    }
}
