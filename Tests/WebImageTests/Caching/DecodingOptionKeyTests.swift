import Foundation
import Testing
import WebImage
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageLoading

/// A cached picture is never shown to a load whose decode options give other pixels, whether the cache key contains the
/// option or not.
@Suite(.timeLimit(minutes: 2))
struct DecodingOptionKeyTests {
    /// Why a cached picture of another value of an option is not taken.
    enum Reason: Sendable {
        /// The key contains the option.
        case key
        /// `DecodingOptions.givesPixels(of:)` compares it.
        case compared
        /// `ImageMatcher` compares it, and may take a picture of another value that suffices.
        case matched
        /// It changes no pixel, so that the picture is taken.
        case noPixel
    }

    /// A decision for each property of `DecodingOptions`, and another value than the default one.
    static let decisions: [String: (reason: Reason, change: @Sendable (inout DecodingOptions) -> Void)] = [
        "firstFrameOnly": (.matched, { $0.firstFrameOnly = true }),
        "scaleFactor": (.noPixel, { $0.scaleFactor = 2 }),
        "preserveAspectRatio": (.key, { $0.preserveAspectRatio = false }),
        "thumbnailPixelSize": (.key, { $0.thumbnailPixelSize = PixelSize(width: 7, height: 7) }),
        "scaleDownLimitBytes": (.matched, { $0.scaleDownLimitBytes = 2000 }),
        "decodesToHDR": (.compared, { $0.decodesToHDR = true }),
        "dynamicRange": (.compared, { $0.dynamicRange = .keep }),
        "limits": (.noPixel, { $0.limits.maxPixels = 12_345_678 }),
        "pixelFormat": (.compared, { $0.pixelFormat = .gray8 }),
        "colorConversion": (.compared, { $0.colorConversion = .asStored }),
        "video": (.compared, { $0.video = VideoOptions(time: 3) }),
        "sourceRegion": (.compared, { $0.sourceRegion = PixelRegion(left: 1, top: 0, width: 2, height: 3) }),
        "foreignOptions": (.compared, { $0.foreignOptions[ImageCoderOption(rawValue: "page")] = 2 }),
    ]

    /// Whoever adds a property decides here what a cached picture of another value is worth.
    @Test func everyPropertyHasADecision() {
        let names = Mirror(reflecting: DecodingOptions()).children.compactMap(\.label)
        #expect(Set(names) == Set(Self.decisions.keys), "a property without a decision, or a decision without one")
    }

    @Test(arguments: decisions.keys.sorted()) func comparedOptionsAreThoseOfTheTable(_ name: String) throws {
        let (reason, change) = try #require(Self.decisions[name])
        var options = DecodingOptions()
        change(&options)
        #expect(options != DecodingOptions())
        let isSame = reason != .compared
        #expect(options.givesPixels(of: .plain) == isSame && DecodingOptions.plain.givesPixels(of: options) == isSame)
        #expect(options.givesPixels(of: options))
    }

    @Test func hintsAreNoDifference() {
        var hinted = DecodingOptions()
        hinted.foreignOptions[.decodeFileExtensionHint] = "png"
        var other = hinted
        other.foreignOptions[.decodeTypeIdentifierHint] = "public.png"
        #expect(hinted.givesPixels(of: .plain) && other.givesPixels(of: hinted) && DecodingOptions.plain.isPlain)
        var paged = other
        paged.foreignOptions[ImageCoderOption(rawValue: "page")] = 2
        #expect(!paged.givesPixels(of: other) && !other.givesPixels(of: paged) && !paged.isPlain)
    }

    /// The ways in which a load can find a picture that another load has stored.
    enum Way: CaseIterable, Sendable { case memory, disk, diskOnTheCallersThread }

    /// The names of the options that a load can have and that make another picture.
    static let loaded = decisions.filter { $0.key != "sourceRegion" && $0.key != "firstFrameOnly" }.keys.sorted()

    /// The transformers have one key. A picture that was taken from a cache has the blue value of the first load.
    @Test(arguments: loaded, [false, true]) func pictureOfOtherOptionsIsNotTaken(_ name: String, isFirst: Bool)
        async throws
    {
        let (reason, change) = try #require(Self.decisions[name])
        var plain = DecodingOptions()
        // The aspect ratio is that of a box.
        if name == "preserveAspectRatio" { plain.thumbnailPixelSize = PixelSize(width: 7, height: 7) }
        var special = plain
        change(&special)
        // A picture without a byte limit suffices for a load that has one.
        let isTaken = reason == .noPixel || reason == .matched && !isFirst
        for (number, way) in Way.allCases.enumerated() {
            let fixture = try EntryFixture()
            let url = EntryFixture.url("https://host/\(number).png")
            try fixture.answer(url, blue: 10)
            func context(_ isSpecial: Bool, blue: UInt8) -> WebImageContext {
                let further = (isSpecial ? special : plain).dictionary
                return [.imageTransformer: BlueTransformer(blue: blue, width: 2), .imageDecodeOptions: further]
            }
            let first = try await fixture.load(url, [], context(isFirst, blue: 1)).result.image.blueValue()
            var next = fixture
            if way != .memory {
                next = try fixture.restarted()
                try next.answer(url, blue: 10)
            }
            let how: WebImageOptions = way == .diskOnTheCallersThread ? .queryDiskDataSync : []
            let second = try await next.load(url, how, context(!isFirst, blue: 2)).result.image.blueValue()
            #expect((second == first) == isTaken, "\(way): \(first), \(second)")
            // The same load again gets its own picture.
            let third = try await next.load(url, how, context(!isFirst, blue: 3)).result.image.blueValue()
            #expect(third == second, "\(way): \(second), \(third)")
        }
    }
}

extension Image {
    /// The blue value of the first pixel, or its grey.
    fileprivate func blueValue() throws -> UInt8 {
        try pixels.converted(to: .bgra8Premultiplied).withUnsafeBytes { $0.first ?? 0 }
    }
}
