import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageHEIF
import WebImageJXL
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits

/// A colour profile and a thumbnail are files inside an image file. A profile must not exceed the limits, and a
/// thumbnail is not decoded with its image.
@Suite(.timeLimit(minutes: 3))
struct NestedProfileTests {
    enum Container: String, CaseIterable { case jpeg, png, webP, avif, heic, jpegXL, tiff }

    private func coder(_ container: Container) -> any ImageCoder {
        switch container {
        case .jpeg: ImageJPEGCoder.shared
        case .png: ImagePNGCoder.shared
        case .webP: ImageWebPCoder.shared
        case .avif: ImageAVIFCoder.shared
        case .heic: ImageHEICCoder.shared
        case .jpegXL: ImageJPEGXLCoder.shared
        case .tiff: ImageTIFFCoder.shared
        }
    }

    private func format(_ container: Container) -> ImageFormat {
        switch container {
        case .jpeg: .jpeg
        case .png: .png
        case .webP: .webP
        case .avif: .avif
        case .heic: .heic
        case .jpegXL: .jpegXL
        case .tiff: .tiff
        }
    }

    /// Returns a file of an image with this profile, or nil if the encoder's library refuses the profile.
    private func file(_ container: Container, _ profile: Data) throws -> Data? {
        let picture = try Samples.picture(width: 48, height: 32)
        let image = Image(pixels: picture.pixels, colorProfile: ColorProfile(iccData: profile), hasAlpha: false)
        return try? coder(container).encode(image, format: format(container), options: EncodingOptions())
    }

    private func error(_ container: Container, _ data: Data, _ limits: DecodingLimits) -> WebImageError? {
        var options = DecodingOptions()
        options.limits = limits
        do throws(WebImageError) {
            let image = try coder(container).decode(data, options: options)
            #expect(image.pixelSize == PixelSize(width: 48, height: 32))
            return nil
        } catch { return error }
    }

    // MARK: Profiles

    private static func big(_ value: Int) -> Data { Data((0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) }) }

    /// Returns an RGB display profile that contains one tag. The tag table may declare a wrong `offset` of the tag or a
    /// wrong `count` of tags.
    private static func profile(
        tag: String, _ content: Data, offset: Int? = nil, count: Int = 1, padding: Int = 0
    ) -> Data {
        var body = Data(count: 128)
        body.replaceSubrange(8..<12, with: [4, 0x30, 0, 0])
        for (place, text) in [(12, "mntr"), (16, "RGB "), (20, "XYZ "), (36, "acsp")] {
            body.replaceSubrange(place..<place + 4, with: Data(text.utf8))
        }
        body.replaceSubrange(68..<80, with: [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D])
        body += big(count) + Data(tag.utf8) + big(offset ?? 144) + big(content.count) + content + Data(count: padding)
        body.replaceSubrange(0..<4, with: big(body.count))
        return body
    }

    /// Returns an ICC lookup table that declares `points` grid points in each of `inputs` dimensions, but does not
    /// contain the values of these points.
    private static func table(inputs: UInt8, outputs: UInt8, points: UInt8) -> Data {
        Data("mft2".utf8) + Data([0, 0, 0, 0, inputs, outputs, points, 0]) + Data(count: 36) + Data([0, 2, 0, 2])
            + Data(count: 64)
    }

    private static let hostile: [(name: String, profile: Data)] = [
        ("no header", Data((0..<600).map { UInt8($0 * 7 & 255) })),
        ("shorter than a header", Data("acsp".utf8) + Data(count: 20)),
        ("four billion tags", profile(tag: "A2B0", Data(count: 32), count: 0xFFFF_FFFF)),
        ("a tag beyond the end", profile(tag: "A2B0", Data(count: 32), offset: 0x7FFF_FFF0)),
        ("a tag over the header", profile(tag: "A2B0", Data(count: 32), offset: 0)),
        ("a table of 255 to the 15th", profile(tag: "A2B0", table(inputs: 15, outputs: 15, points: 255))),
        ("a table of 255 to the 4th", profile(tag: "A2B0", table(inputs: 4, outputs: 3, points: 255))),
        ("a table for three inputs cut off", profile(tag: "A2B0", table(inputs: 3, outputs: 3, points: 255))),
        (
            "a curve of four billion points",
            profile(tag: "rTRC", Data("curv".utf8) + Data(count: 4) + big(0xFFFF_FFFF) + Data(count: 8))
        ),
    ]

    @Test(arguments: Container.allCases) func hostileProfileLosesOnlyColourConversion(_ container: Container) throws {
        var made = 0
        for (name, profile) in Self.hostile {
            guard let data = try file(container, profile) else { continue }
            made += 1
            var refusal: WebImageError?
            let units = ProcessorTime.units { refusal = self.error(container, data, .default) }
            let error = refusal
            #expect(
                error.map { $0.code == .badImageData || $0.code == .limitExceeded } ?? true, "\(name): \(error as Any)")
            #expect(units < 2000, "\(name)")
            _ = try? coder(container).imageInfo(of: data, limits: .default)
        }
        // Two containers may yield no file. The JPEG XL library may refuse all these profiles. libheif needs a plug-in
        // to encode HEIC.
        #expect(made > 0 || container == .jpegXL || !coder(container).canEncode(to: format(container)))
    }

    @Test(arguments: Container.allCases) func aProfileOverTheLimitIsRefused(_ container: Container) throws {
        let profile = Self.profile(tag: "desc", Data(count: 64), padding: 60_000)
        guard let data = try file(container, profile) else { return }
        #expect(error(container, data, .default) == nil)
        let small = DecodingLimits(maxAncillaryChunkBytes: 20_000, maxAncillaryBytes: 20_000)
        let refused = error(container, data, small)
        // A file does not exceed the limit if it stores the profile compressed or omits the profile.
        if data.count > 60_000 {
            guard case .limit(let limit, _, _) = refused?.underlying else {
                Issue.record("a profile of 60 KB is accepted: \(refused as Any)")
                return
            }
            #expect([.ancillaryChunkBytes, .ancillaryBytes].contains(limit))
        }
    }

    /// Widely used profiles of presses have 2 MB.
    @Test(arguments: Container.allCases) func profileOfAPressIsRead(_ container: Container) throws {
        let profile = Self.profile(tag: "desc", Data(count: 64), padding: 2_300_000)
        guard let data = try file(container, profile) else { return }
        #expect(error(container, data, .default) == nil)
    }

    // MARK: Thumbnails

    /// A JPEG has an EXIF thumbnail whose declared size exceeds the limit. Decoding the JPEG must ignore the thumbnail.
    @Test func aThumbnailInEXIFIsNotDecodedWithItsPicture() throws {
        var options = EncodingOptions()
        options.embedsThumbnail = true
        let large = try Samples.picture(width: 640, height: 480)
        let data = try ImageJPEGCoder.shared.encode(large, format: .jpeg, options: options)
        let starts = data.indices.dropLast(2).filter {
            data[$0] == 0xFF && data[$0 + 1] == 0xD8 && data[$0 + 2] == 0xFF
        }
        try #require(starts.count == 2, "the file does not contain an image and a thumbnail")
        // The thumbnail's frame header declares 65,500 × 65,500 px.
        var lying = data
        let header = try #require(lying[starts[1]...].firstRange(of: Data([0xFF, 0xC0])))
        lying.replaceSubrange(header.upperBound + 3..<header.upperBound + 7, with: [0xFF, 0xDC, 0xFF, 0xDC])
        let limits = DecodingLimits(maxPixels: 640 * 480)
        var decoding = DecodingOptions()
        decoding.limits = limits
        for data in [data, lying] {
            let image = try ImageJPEGCoder.shared.decode(data, options: decoding)
            #expect(image.pixelSize == PixelSize(width: 640, height: 480))
            #expect(try ImageJPEGCoder.shared.imageInfo(of: data, limits: limits).pixelSize == image.pixelSize)
        }
        decoding.limits = DecodingLimits(maxPixels: 640 * 480 - 1)
        let refused = #expect(throws: WebImageError.self) {
            try ImageJPEGCoder.shared.decode(data, options: decoding)
        }
        #expect(refused?.code == .limitExceeded)
    }
}
