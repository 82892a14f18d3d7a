import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageSandbox

@Suite struct SandboxMessageTests {
    private func picture() throws -> SandboxPicture {
        SandboxPicture(try gradient(width: 30, height: 20))
    }

    @Test func requestsSurvive() {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 7, height: 9)
        options.firstFrameOnly = true
        options.colorConversion = .asStored
        options.pixelFormat = .rgba8
        options.limits.maxPixels = 5
        options.limits.maxDecodeTime = .milliseconds(1234)
        for options in [DecodingOptions(), options] {
            let request = SandboxRequest.decode(id: 7, byteCount: 99, isInWindow: true, options)
            #expect(SandboxRequest(request.encoded) == request)
        }
        let attempt = SandboxRequest.attempt(id: 1, number: 2, host: 3)
        #expect(SandboxRequest(attempt.encoded) == attempt)
    }

    @Test func answersSurvive() throws {
        let failure = SandboxFailure(.limit(.pixels, actual: 10, allowed: 5))
        let answers: [SandboxAnswer] = [
            .ready(SandboxProtections(hasFilter: true, landlock: 7, hasNamespaces: true)),
            .image(id: 3, try picture()), .failed(id: 4, failure), .failed(id: 5, SandboxFailure(.badData("x", "y"))),
            .attempted(id: 6, errno: 13), .nextPart(id: 7),
        ]
        for answer in answers { #expect(SandboxAnswer(answer.encoded) == answer) }
        #expect(SandboxAnswer(Data("WISV".utf8) + Data([41, 0, 0, 0])) == .violation(systemCall: 41))
    }

    /// A malicious worker can send any bytes: each is refused or gives a picture within the limits.
    @Test func mutatedAnswersNeverTrap() throws {
        var random = SeededRandom.printingSeed()
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 40, height: 40)
        let samples = [
            SandboxAnswer.image(id: 3, try picture()).encoded,
            SandboxAnswer.failed(id: 1, SandboxFailure(.badData("a", "b"))).encoded,
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
    }

    @Test func partsCoverThePixelsOnce() {
        for byteCount in [1, SandboxWindow.slotBytes, SandboxWindow.slotBytes + 1, 5 * SandboxWindow.slotBytes - 7] {
            var covered = 0
            for part in 0..<SandboxWindow.partCount(byteCount) {
                let range = SandboxWindow.range(ofPart: part, of: byteCount)
                #expect(range.lowerBound == covered && !range.isEmpty && range.count <= SandboxWindow.slotBytes)
                covered = range.upperBound
                let offset = SandboxWindow.offset(ofPart: part)
                #expect(offset >= SandboxWindow.inputBytes && offset + range.count <= SandboxWindow.byteCount)
            }
            #expect(covered == byteCount)
        }
    }
}
