import Foundation
import Testing
import WebImageCodecs
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

@Suite struct SandboxMessageTests {
    private func picture(in arenaOffset: Int? = nil) throws -> SandboxPicture {
        var picture = SandboxPicture(try gradient(width: 30, height: 20))
        picture.arenaOffset = arenaOffset
        return picture
    }

    @Test func requestsSurvive() throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 7, height: 9)
        options.firstFrameOnly = true
        options.colorConversion = .asStored
        options.pixelFormat = .rgba8
        options.limits.maxPixels = 5
        options.limits.maxDecodeTime = .milliseconds(1234)
        for options in [DecodingOptions(), options] {
            for command in 1...11 as ClosedRange<UInt64> {
                var request = SandboxRequest(try #require(SandboxRequest.Command(rawValue: command)))
                (request.id, request.coder, request.byteCount, request.session) = (7, 3, 99, 1 << 40)
                (request.number, request.isInWindow, request.isFirst, request.isLast) = (-1, false, true, true)
                request.options = options
                #expect(SandboxRequest(request.encoded) == request)
            }
        }
    }

    @Test func answersSurvive() throws {
        let failure = SandboxFailure(.limit(.pixels, actual: 10, allowed: 5))
        let answers: [SandboxAnswer] = [
            .ready(SandboxProtections(hasFilter: true, landlock: 7, hasNamespaces: true)),
            .image(id: 3, try picture()), .image(id: 4, try picture(in: 64)), .failed(id: 4, failure),
            .failed(id: 5, SandboxFailure(.badData("x", "y"))),
            .attempted(id: 6, errno: 13), .nextPart(id: 7), .payload(id: 8, byteCount: 3, Data("abc".utf8)),
            .payload(id: 9, byteCount: 5 << 20, Data()),
        ]
        for answer in answers {
            #expect(SandboxAnswer(answer.encoded(busy: 5)) == answer)
            #expect(SandboxAnswer.busyNanoseconds(answer.encoded(busy: 5)) == 5)
        }
        #expect(SandboxAnswer(Data("WISV".utf8) + Data([41, 0, 0, 0])) == .violation(systemCall: 41))
    }

    /// A malicious worker can send any bytes: each is refused or gives a picture within the limits.
    @Test func mutatedAnswersNeverTrap() throws {
        var random = SeededRandom.printingSeed()
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 40, height: 40)
        let samples = [
            SandboxAnswer.image(id: 3, try picture()).encoded(),
            SandboxAnswer.failed(id: 1, SandboxFailure(.badData("a", "b"))).encoded(),
            SandboxAnswer.payload(id: 4, byteCount: 3, Data("abc".utf8)).encoded(),
        ]
        for _ in 0..<20_000 {
            var bytes = try #require(samples.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            guard case .image(_, let picture) = SandboxAnswer(bytes) else { continue }
            #expect(picture.size.width <= SandboxPicture.mostSide && picture.size.height <= SandboxPicture.mostSide)
            #expect(picture.profileByteCount <= SandboxWindow.inputBytes)
            if picture.answers(options) { #expect(picture.size.width <= 41 && picture.size.height <= 41) }
        }
    }

    @Test func pictureThatWasNotAskedForIsRefused() throws {
        var options = DecodingOptions()
        #expect(try picture().answers(options))
        options.limits.maxPixels = 599
        #expect(try !picture().answers(options))
        options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 10, height: 10)
        #expect(try !picture().answers(options))
        options = DecodingOptions()
        options.pixelFormat = .gray8
        #expect(try !picture().answers(options))
        // The colours were to be converted in the worker.
        options = DecodingOptions()
        var profiled = try picture()
        profiled.profileByteCount = 500
        #expect(!profiled.answers(options))
        options.colorConversion = .asStored
        #expect(profiled.answers(options))
    }

    @Test func partsCoverThePixelsOnce() {
        for byteCount in [1, SandboxWindow.slotBytes, SandboxWindow.slotBytes + 1, 5 * SandboxWindow.slotBytes - 7] {
            var covered = 0
            for part in 0..<SandboxWindow.partCount(byteCount) {
                let range = SandboxWindow.range(ofPart: part, of: byteCount)
                #expect(range.lowerBound == covered && !range.isEmpty && range.count <= SandboxWindow.slotBytes)
                covered = range.upperBound
                let offset = SandboxWindow.offset(ofPart: part)
                #expect(offset >= SandboxWindow.inputBytes && offset + range.count <= SandboxWindow.arenaOffset)
            }
            #expect(covered == byteCount)
        }
    }

    private let formats = [ImageFormat.png, .apng]

    private func properties() -> ImageProperties {
        var info = ImageInfo(format: .apng, storedSize: PixelSize(width: 30, height: 20))
        (info.orientation, info.frameCount, info.loopCount, info.hasAlpha) = (.left, 2, 0, true)
        (info.delaysMilliseconds, info.bitDepth) = ([0, 33.25], 16)
        info.workingMemory.fixedBytes = 12
        let metadata = GainMapMetadata(channels: [.init(minimum: -0.5, maximum: 2)], alternateHeadroom: 2.5)
        info.hdr = HDRDescription(
            gainMap: GainMap(metadata: metadata, size: PixelSize(width: 15, height: 10), channelCount: 3),
            transfer: .hybridLogGamma, primaries: 9, contentLight: .init(maximum: 1000, average: 400))
        info.workingMemory.shrinksWhileReading = true
        var properties = ImageProperties(info: info)
        properties.tiff = [0x0112: .integers([6, -7]), 0x010F: .text("Mü")]
        properties.exif = [1: .rationals([.init(numerator: 1, denominator: 0)]), 2: .reals([1.5, .infinity])]
        properties.gps = [3: .bytes(Data([1, 2, 3]))]
        properties.exifData = Data("II".utf8)
        properties.xmp = Data()
        properties.density = PixelDensity(horizontal: 300, vertical: 299.9994)
        properties.texts = [.init(keyword: "a", text: "b"), .init(keyword: "", text: "")]
        return properties
    }

    @Test func metadataSurvives() {
        let properties = properties()
        #expect(ImageProperties(sandboxPayload: properties.sandboxPayload, formats: formats) == properties)
        #expect(ImageInfo(sandboxPayload: properties.info.sandboxPayload, formats: formats) == properties.info)
        let facts = SandboxStreamFacts(revision: 4, info: properties.info)
        #expect(SandboxStreamFacts(payload: facts.payload, formats: formats) == facts)
        #expect(SandboxStreamFacts(payload: SandboxStreamFacts().payload, formats: []) == SandboxStreamFacts())
    }

    /// The program would give the file to what handles drawings.
    @Test func metadataOfAFormatOfAnotherCoderIsRefused() {
        let properties = properties()
        let facts = SandboxStreamFacts(revision: 4, info: properties.info)
        for formats in [[ImageFormat.svg], []] {
            #expect(ImageProperties(sandboxPayload: properties.sandboxPayload, formats: formats) == nil)
            #expect(ImageInfo(sandboxPayload: properties.info.sandboxPayload, formats: formats) == nil)
            #expect(SandboxStreamFacts(payload: facts.payload, formats: formats) == nil)
        }
    }

    @Test func animationOfAnotherLengthIsRefused() throws {
        let data = try animation(.gif)
        let facts = SandboxAnimationFacts(try ImageGIFCoder(animation: data, options: DecodingOptions()))
        #expect(SandboxAnimationFacts(payload: facts.payload, .default) == facts)
        #expect(SandboxAnimationFacts(payload: facts.payload, .default, frameCount: 5) == facts)
        for count in [1, 4, 6] {
            #expect(SandboxAnimationFacts(payload: facts.payload, .default, frameCount: count) == nil)
        }
        var limits = DecodingLimits.default
        limits.maxFrameCount = 4
        #expect(SandboxAnimationFacts(payload: facts.payload, limits) == nil)
        // One duration for each frame.
        var longer = facts
        longer.frameCount = 6
        #expect(SandboxAnimationFacts(payload: longer.payload, .default) == nil)
    }

    /// A payload that ends early, or with a number out of its range, is refused. None makes the host trap or allocate
    /// more than the payload.
    @Test func mutatedPayloadsNeverTrap() {
        var random = SeededRandom.printingSeed()
        let whole = properties().sandboxPayload
        for count in 0..<whole.count {
            #expect(ImageProperties(sandboxPayload: whole.prefix(count), formats: formats) == nil)
        }
        #expect(ImageProperties(sandboxPayload: whole + [0], formats: formats) == nil)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let found = ImageProperties(sandboxPayload: bytes, formats: formats)
            #expect((found?.texts.count ?? 0) <= bytes.count)
            _ = ImageInfo(sandboxPayload: bytes, formats: formats)
            _ = SandboxStreamFacts(payload: bytes, formats: formats)
            _ = SandboxAnimationFacts(payload: bytes, .default)
        }
    }

    @Test func textsOfAWorkerContainNoControlCharacters() throws {
        let failure = SandboxFailure(.badData("lib\u{1B}[31m", "a\nb\u{202E}c\u{2028}d"))
        guard case .failed(_, let read) = SandboxAnswer(SandboxAnswer.failed(id: 1, failure).encoded()) else {
            Issue.record("refused")
            return
        }
        #expect(read.error(.default).underlying == .codec(library: "lib [31m", message: "a b c d"))
    }
}
