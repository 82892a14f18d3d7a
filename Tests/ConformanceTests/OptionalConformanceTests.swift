import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits

/// Decodes all files in the formats of the optional coders, and in the built-in formats BMP and ICO.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10))
struct OptionalConformanceTests {
    static let formats: Set<String> = ["avif", "heic", "jxl", "svg", "tiff", "bmp", "ico"]
    static let coders = ImageCodersManager(
        coders: ImageCodersManager.shared.coders + [
            ImageAVIFCoder.shared, ImageHEICCoder.shared, ImageJPEGXLCoder.shared, ImageSVGCoder.shared,
            ImageTIFFCoder.shared,
        ])

    /// The decodable entries whose pixels cannot be compared with the manifest. The keys are paths, the values are
    /// reasons.
    static let exceptions: [String: String] = [
        "bmp/V5_A1_R5_G5_B5.bmp": "the two decoders that agree ignore the alpha mask, which the V3 twin counts",
        "bmp/badrle.bmp": "no two decoders agree; what the damaged runs leave out is clear here",
        "ico/bmp_v5_with_icc.ico": "no mask in the file; the mean comes of reading the colour profile as one",
        "jxl/alpha_premultiplied.jxl": "the mean is of multiplied colours; here they are straight",
        "tiff/hpredict.tiff": "the file says that colours are multiplied by alpha; the hash takes them as straight",
        "tiff/hpredict_packbits.tiff": "as hpredict.tiff",
        "tiff/serenity/rgb_palette_alpha.tiff": "no two decoders agree; libtiff ignores a palette's alpha",
        "tiff/ycbcr_lzw_broken.tif": "libtiff refuses it; no two of the others agree",
    ]

    /// Files that newer library versions decode differently. `since` is the first tested version that decodes the file
    /// differently.
    private static let changes: [(path: String, since: LibraryVersion, reason: String)] = [
        (
            "avif/libavif/supported_gainmap_writer_version_with_extra_bytes.avif", .avif(1, 0),
            "it reads gain maps, and refuses one that is followed by bytes its version does not know"
        ),
        (
            "jxl/blendmodes.jxl", .jpegXL(0, 8),
            "its own djxl differs from the reference by 92 as well: it blends layers in another way"
        ),
    ]

    /// The files in `changes` that the library versions on this machine decode differently.
    static let changed: Set<String> = Set(changes.filter { $0.since.isReached }.map(\.path))

    /// Files that may differ by 1 per channel: libtiff rounds when it converts 16 to 8 bits, but the reference
    /// decoders use the high byte. The one pixel of the CMYK file has 126.5, which libyuv of Debian 12 rounds down and that of
    /// Debian 13 up.
    static let roundedDifferently: Set<String> = ["tiff/rgb-3c-16b.tiff", "tiff/cmyk_u8_trunc_case.tif"]

    @Test(arguments: Conformance.decodable(formats).filter { !changed.contains($0.path) })
    func headerMatchesTheManifest(_ entry: ConformanceEntry) throws {
        let info = try Self.coders.imageInfo(of: Conformance.data(entry.path), limits: .default)
        // If a file has a generic brand, SDWebImage and this package report the format HEIF. The manifest lists such a
        // file as HEIC, because it uses the file's codec.
        #expect(info.format.name == entry.format || (info.format == .heif && entry.format == "heic"))
        #expect(info.pixelSize == entry.pixelSize)
        if let orientation = entry.orientation { #expect(info.orientation.rawValue == orientation) }
        if let frames = entry.frames { #expect(info.frameCount == frames) }
        if let loopCount = entry.loopCount { #expect(info.loopCount == loopCount) }
        if let delays = entry.delaysMs {
            #expect(info.delaysMilliseconds.map { ($0 * 1000).rounded() / 1000 } == delays)
        }
        if let hasAlpha = entry.hasAlpha { #expect(info.hasAlpha == hasAlpha) }
        if let isGray = entry.isGray { #expect(info.isGray == isGray) }
        if let bitDepth = entry.bitDepth { #expect(info.bitDepth == bitDepth) }
        if let profile = entry.iccProfile { #expect(info.hasICCProfile == profile) }
    }

    @Test(arguments: exceptions.keys.sorted() + changed.sorted())
    func listedExceptionDecodesOrThrowsATypedError(_ path: String) throws {
        _ = try? Self.coders.decode(Conformance.data(path), options: DecodingOptions())
    }

    @Test(arguments: Conformance.decodable(formats).filter { exceptions[$0.path] == nil && !changed.contains($0.path) })
    func firstFrameMatchesTheReference(_ entry: ConformanceEntry) throws {
        let pixels = try Self.straightPixels(entry.path)
        #expect(PixelSize(width: pixels.width, height: pixels.height) == entry.pixelSize)
        let hash = try pixels.sha256()
        if entry.rgbaSHA256 == hash { return }
        let rounding = Self.roundedDifferently.contains(entry.path) ? 1 : nil
        let tolerance = entry.tolerance ?? rounding
        if let reference = entry.reference?.first, entry.rgbaSHA256 == nil || tolerance != nil {
            let difference = pixels.maxDifference(from: try Self.straightPixels(reference))
            #expect((difference ?? .max) <= tolerance ?? 0, "differs from \(reference) by \(difference ?? -1)")
        } else if let tolerance, let means = entry.meanRGBA, entry.pixelSize == PixelSize(width: 1, height: 1) {
            let mine = pixels.means()
            #expect(zip(mine, means).allSatisfy { abs($0 - $1) <= Double(tolerance) }, "\(mine), wanted \(means)")
        } else if entry.rgbaSHA256 != nil {
            Issue.record("wrong hash \(hash); means \(pixels.means()), wanted \(entry.meanRGBA ?? [])")
        } else if let means = entry.meanRGBA {
            for (mine, theirs) in zip(pixels.means(), means) {
                #expect(abs(mine - theirs) <= 2, "means \(pixels.means()), wanted \(means)")
            }
        }
    }

    /// Some AVIF files store the same scene in different orientations. These files decode to similar images after
    /// `irot` and `imir` are applied.
    @Test(arguments: Conformance.decodable(["avif"]).filter { $0.sameSceneAs != nil })
    func aTurnedPictureShowsTheSameScene(_ entry: ConformanceEntry) throws {
        let mine = try Self.straightPixels(entry.path, box: PixelSize(width: 64, height: 64))
        let other = try Self.straightPixels(#require(entry.sameSceneAs), box: PixelSize(width: 64, height: 64))
        let total = zip(mine.bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        let mean = Double(total) / Double(64 * 64 * 3)
        #expect(mean <= (entry.sceneMeanAbsDiff64 ?? 4) + 2, "differs by \(mean) on average")
    }

    @Test(arguments: Conformance.entries.filter { $0.verdict == "survive" && formats.contains($0.format ?? "") })
    func damagedFileDecodesOrThrowsATypedError(_ entry: ConformanceEntry) throws {
        let data = try Conformance.data(entry.path)
        let units = ProcessorTime.units {
            _ = try? Self.coders.imageInfo(of: data, limits: .default)
            _ = try? Self.coders.decode(data, options: DecodingOptions())
        }
        #expect(units < 10_000)
    }

    static func straightPixels(_ path: String, box: PixelSize? = nil) throws -> StraightPixels {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        options.firstFrameOnly = true
        options.thumbnailPixelSize = box
        options.preserveAspectRatio = box == nil
        return StraightPixels(try coders.decode(Conformance.data(path), options: options))
    }
}
