import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

/// Checks that every decoding and encoding option has its effect. A case fails if the coder ignores the option of the
/// case.
@Suite(.timeLimit(minutes: 2))
struct CoderOptionTests {
    /// An option, and a function that returns whether the coder respects the option.
    struct Case: Sendable, CustomTestStringConvertible {
        let option: ImageCoderOption
        let isHeeded: @Sendable (ImageCoderOption) throws -> Bool
        var testDescription: String { option.rawValue }

        init(_ option: ImageCoderOption, _ isHeeded: @escaping @Sendable (ImageCoderOption) throws -> Bool) {
            self.option = option
            self.isHeeded = isHeeded
        }
    }

    static let cases = decoding + encoding + webP

    private static let decoding: [Case] = [
        Case(.decodeFirstFrameOnly) { option in
            // Ten frames of 64 pixels exceed this limit; one frame does not.
            let limits = DecodingLimits(maxAnimationPixels: 200)
            let data = try animation(frameCount: 10)
            return decoded(data, [.decodeLimits: limits]) == nil
                && decoded(data, [.decodeLimits: limits, option: true]) != nil
        },
        Case(.decodeScaleFactor) { try decoded(gradient(8, 6), [$0: 2])?.scale == 2 },
        Case(.decodePreserveAspectRatio) { option in
            let box = CGSize(width: 10, height: 10)
            let data = try gradient(40, 20)
            return decoded(data, [.decodeThumbnailPixelSize: box, option: false])?.pixelSize
                == PixelSize(width: 10, height: 10)
                && decoded(data, [.decodeThumbnailPixelSize: box, option: true])?.pixelSize
                    == PixelSize(width: 10, height: 5)
        },
        Case(.decodeThumbnailPixelSize) {
            try decoded(gradient(40, 20), [$0: CGSize(width: 10, height: 10)])?.pixelSize
                == PixelSize(width: 10, height: 5)
        },
        Case(.decodeScaleDownLimitBytes) {
            try (decoded(gradient(40, 20), [$0: 400])?.pixelSize.pixelCount).map { $0 <= 100 } ?? false
        },
        Case(.decodeToHDR) { option in
            let deep = try encoded(Sample.gradient(8, 6, .rgba16), .png)
            return decoded(deep, [:])?.isHighDynamicRange == false
                && decoded(deep, [option: 1])?.isHighDynamicRange == true
        },
        Case(.decodeLimits) { try decoded(gradient(8, 6), [$0: DecodingLimits(maxPixels: 10)]) == nil },
        Case(.decodePixelFormat) {
            try decoded(gradient(8, 6), [$0: PixelFormat.rgb8])?.pixels.format == .rgb8
        },
        Case(.decodeColorConversion) { option in
            let profile = ColorProfile(iccData: ICCSample.adobeLike)
            let image = Image(pixels: try Sample.gradient(8, 6, .rgb8), colorProfile: profile)
            let file = try found(ImageWebPCoder.shared.encodedData(with: image, format: .webP, options: nil))
            return decoded(file, [:])?.colorProfile == nil
                && decoded(file, [option: DecodingOptions.ColorConversion.asStored])?.colorProfile == profile
        },
        // The content alone decides the format. The coder ignores a wrong hint.
        Case(.decodeFileExtensionHint) { try decoded(gradient(8, 6), [$0: "gif"])?.imageFormat == .jpeg },
        Case(.decodeTypeIdentifierHint) {
            try decoded(gradient(8, 6), [$0: "com.compuserve.gif"])?.imageFormat == .jpeg
        },
    ]

    private static let encoding: [Case] = [
        Case(.encodeFirstFrameOnly) { option in
            try frameCount([:]) == 3 && frameCount([option: true]) == 1
        },
        Case(.encodeCompressionQuality) { try jpeg([$0: 0.1]).count * 2 < jpeg([:]).count },
        Case(.encodeBackgroundColor) { option in
            try corner([:]) == [255, 255, 255] && corner([option: ImageColor.black]) == [0, 0, 0]
        },
        Case(.encodeMaxPixelSize) {
            try decoded(jpeg([$0: CGSize(width: 16, height: 16)]), [:])?.pixelSize == PixelSize(width: 16, height: 12)
        },
        Case(.encodeMaxFileSize) { try jpeg([$0: 900]).count <= 900 && jpeg([:]).count > 900 },
        Case(.encodeEmbedThumbnail) { option in
            let small = try thumbnail([option: true]).flatMap { decoded($0, [:]) }
            return try thumbnail([:]) == nil && small?.pixelSize == PixelSize(width: 320, height: 240)
        },
        Case(.encodeProgressive) { option in
            // The marker at the start of a progressive frame (ITU-T T.81, table B.1).
            let marker = Data([0xFF, 0xC2])
            return try jpeg([:]).range(of: marker) == nil && jpeg([option: true]).range(of: marker) != nil
        },
        Case(.encodeMetadata) { option in
            let packet = Data("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
            let data = try jpeg([option: EmbeddedMetadata(xmp: packet)])
            return try ImageJPEGCoder.shared.imageProperties(of: data, limits: .default).xmp == packet
                && ImageJPEGCoder.shared.imageProperties(of: jpeg([:]), limits: .default).xmp == nil
        },
        Case(.encodeWebPLossless) {
            try decoded(webP([$0: true]), [.decodePixelFormat: PixelFormat.rgb8]).map { Sample.values($0.pixels) }
                == Sample.values(noise())
        },
        Case(.encodeQualityAim) {
            try jpeg([$0: QualityAim(score: 40)]).count * 2 < jpeg([$0: QualityAim(score: 90)]).count
        },
        Case(.encodeEffort) { option in
            // Smooth shapes, whose matches a higher effort finds.
            let pixels = try Sample.buffer(120, 90, .rgb8) { x, y, channel in
                (x * x + y * y * 3 + channel * 40) / 97 & 255
            }
            let sizes = try [1, 5, 9].map { effort in
                try found(
                    ImagePNGCoder.shared.encodedData(
                        with: Image(pixels: pixels), format: .png, options: [option: effort])
                ).count
            }
            return sizes[0] > sizes[1] && sizes[1] > sizes[2]
        },
    ]

    /// Most of these cases set an option to a value outside its range. The encoder rejects such a value, which proves
    /// that the encoder reads the option.
    private static let webP: [Case] =
        [
            ImageCoderOption.encodeWebPMethod, .encodeWebPPass, .encodeWebPPreprocessing, .encodeWebPThreadLevel,
            .encodeWebPSegments, .encodeWebPSnsStrength, .encodeWebPFilterStrength, .encodeWebPFilterSharpness,
            .encodeWebPFilterType, .encodeWebPAlphaFiltering, .encodeWebPAlphaQuality, .encodeWebPPartitions,
            .encodeWebPPartitionLimit, .encodeWebPTargetPSNR,
        ].map { option in
            Case(option) { option in
                let image = Image(pixels: try noise())
                // For two options libwebp checks only the lower bound.
                let hasOpenEnd = [.encodeWebPTargetPSNR, .encodeWebPAlphaFiltering].contains(option)
                let value = hasOpenEnd ? -1 : 9999
                return ImageWebPCoder.shared.encodedData(with: image, format: .webP, options: [option: value]) == nil
            }
        } + [
            Case(.encodeWebPUseSharpYuv) { try webP([$0: true]) != webP([:]) },
            Case(.encodeWebPAutofilter) { try clearWebP([$0: true]) != clearWebP([:]) },
            Case(.encodeWebPAlphaCompression) { option in
                try clearWebP([option: false]).count > clearWebP([:]).count
            },
            // These two options do not change the file. Check only that `EncodingOptions` contains them.
            Case(.encodeWebPLowMemory) { EncodingOptions([$0: true]).webP.lowMemory == true },
            Case(.encodeWebPShowCompressed) { EncodingOptions([$0: true]).webP.showCompressed == true },
        ]

    @Test(arguments: cases)
    func everyOptionHasItsEffect(_ item: Case) throws {
        #expect(try item.isHeeded(item.option))
    }

    /// Every declared option has a case, except `encodeToHDR`, which is tested with the optional coders, and
    /// `decodeDynamicRange`, which has a suite of its own.
    @Test func everyOptionHasACase() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/WebImageCore").standardizedFileURL
        let declaration = /ImageCoderOption\(rawValue: "(\w+)"\)/
        var declared: Set<String> = []
        for name in ["Image/Decoding/DecodingOptions.swift", "Coding/WebPEncodingOptions.swift"] {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            for match in text.matches(of: declaration) { declared.insert(String(match.1)) }
        }
        #expect(declared.count > 30)
        #expect(declared.subtracting(Self.cases.map(\.option.rawValue)) == ["encodeToHDR", "decodeDynamicRange"])
    }

    @Test func optionsRoundTripThroughTheirDictionary() {
        var options = EncodingOptions()
        options.backgroundColor = .black
        options.progressive = true
        options.embedsThumbnail = true
        options.effort = 8
        options.keepsHDR = true
        options.metadata = EmbeddedMetadata(exif: Data([1]), xmp: Data([2]))
        #expect(EncodingOptions(options.dictionary) == options)
    }

    @Test func effortIsLimited() {
        for (given, effort) in [(-3, 1), (0, 1), (4, 4), (9, 9), (1000, 9)] {
            var options = EncodingOptions()
            options.effort = given
            #expect(options.effort == effort)
            #expect(EncodingOptions([.encodeEffort: given]).effort == effort)
        }
        #expect(EncodingOptions([.encodeEffort: Double.nan]).effort == 1)
        #expect(EncodingOptions().effort == 5)
    }

    // MARK: - Files

    private struct Missing: Error {}

    private static func found<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }

    private static let coders: [any ImageCoder] = [
        ImageJPEGCoder.shared, ImagePNGCoder.shared, ImageGIFCoder.shared, ImageWebPCoder.shared,
    ]

    private static func decoded(_ data: Data, _ options: ImageCoderOptions) -> Image? {
        coders.first { $0.canDecode(from: data) }?.decodedImage(with: data, options: options)
    }

    private static func encoded(_ pixels: PixelBuffer, _ format: ImageFormat) throws -> Data {
        let coder = try found(coders.first { $0.canEncode(to: format) })
        return try coder.encode(Image(pixels: pixels), format: format, options: EncodingOptions())
    }

    private static func gradient(_ width: Int, _ height: Int) throws -> Data {
        try encoded(Sample.gradient(width, height, .rgb8), .jpeg)
    }

    private static func noise() throws -> PixelBuffer {
        try Sample.buffer(64, 48, .rgb8) { x, y, channel in ((x * 7919 + y * 104729 + channel * 31) ^ x << 3) & 255 }
    }

    private static func jpeg(_ options: ImageCoderOptions) throws -> Data {
        try found(
            ImageJPEGCoder.shared.encodedData(with: Image(pixels: noise()), format: .jpeg, options: options))
    }

    private static func webP(_ options: ImageCoderOptions) throws -> Data {
        let all = options.merging([.encodeCompressionQuality: 0.5]) { own, _ in own }
        return try found(
            ImageWebPCoder.shared.encodedData(with: Image(pixels: noise()), format: .webP, options: all))
    }

    private static func frameCount(_ options: ImageCoderOptions) throws -> Int {
        let image = try found(FramesImage(animation(frameCount: 3)))
        let data = try found(ImageGIFCoder.shared.encodedData(with: image, format: .gif, options: options))
        return try ImageGIFCoder.shared.imageInfo(of: data, limits: .default).frameCount
    }

    /// Encodes a fully transparent image as a JPEG and returns one pixel of the decoded JPEG.
    private static func corner(_ options: ImageCoderOptions) throws -> [Int] {
        let clear = Image(pixels: try Sample.buffer(8, 8, .rgba8) { _, _, _ in 0 })
        let data = try found(ImageJPEGCoder.shared.encodedData(with: clear, format: .jpeg, options: options))
        return try Sample.pixel(found(decoded(data, [.decodePixelFormat: PixelFormat.rgb8])).pixels, 1, 1)
    }

    private static func thumbnail(_ options: ImageCoderOptions) throws -> Data? {
        let large = Image(pixels: try Sample.gradient(640, 480, .rgb8))
        let data = try found(ImageJPEGCoder.shared.encodedData(with: large, format: .jpeg, options: options))
        return try ImageJPEGCoder.shared.imageProperties(of: data, limits: .default).thumbnailData
    }

    private static func clearWebP(_ options: ImageCoderOptions) throws -> Data {
        let image = Image(pixels: try Sample.buffer(64, 64, .rgba8) { x, y, channel in x * 3 + y * channel })
        let all = options.merging([.encodeCompressionQuality: 0.5]) { own, _ in own }
        return try found(ImageWebPCoder.shared.encodedData(with: image, format: .webP, options: all))
    }

    private static func animation(frameCount: Int) throws -> Data {
        let frames = try (0..<frameCount).map { index in
            ImageFrame(image: Image(pixels: try Sample.buffer(8, 8, .rgb8) { _, _, _ in index * 20 }), duration: 0.1)
        }
        return try ImageGIFCoder.shared.encode(frames, loopCount: 0, format: .gif, options: EncodingOptions())
    }
}

/// An image that also provides the frames of an animation.
private final class FramesImage: Image, AnimatedImageProvider, @unchecked Sendable {
    // Unchecked is safe: the only stored property is immutable and Sendable.
    private let coder: ImageGIFCoder

    init?(_ data: Data) {
        guard let coder = try? ImageGIFCoder(animation: data, options: DecodingOptions()),
            let first = coder.animatedImageFrame(at: 0)
        else { return nil }
        self.coder = coder
        super.init(pixels: first.pixels)
    }

    override var imageFrameCount: Int { coder.animatedImageFrameCount }
    var animatedImageData: Data? { coder.animatedImageData }
    var animatedImageFrameCount: Int { coder.animatedImageFrameCount }
    var animatedImageLoopCount: Int { coder.animatedImageLoopCount }
    func animatedImageFrame(at index: Int) -> Image? { coder.animatedImageFrame(at: index) }
    func animatedImageDuration(at index: Int) -> TimeInterval { coder.animatedImageDuration(at: index) }
}
