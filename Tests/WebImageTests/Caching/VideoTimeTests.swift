import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// The time of a frame of a video is not a part of the key of a variant.
@Suite(.timeLimit(minutes: 1))
struct VideoTimeTests {
    private let url = EntryFixture.url("https://host/a.mp4")

    /// The transformers have one key. So a picture from the disk has the blue value of the first load.
    @Test(arguments: [(nil, nil, 11), (1, 5, 12), (nil, 5, 12), (5, nil, 12)] as [(Double?, Double?, UInt8)])
    func pictureOfAnotherTimeIsNotTakenFromTheDisk(stored: Double?, asked: Double?, blue: UInt8) async throws {
        let fixture = try EntryFixture()
        try fixture.answer(url, blue: 10)
        try await fixture.load(url, [], context(stored, BlueTransformer(blue: 1)))
        let restarted = try fixture.restarted()
        try restarted.answer(url, blue: 10)
        #expect(try await restarted.load(url, [], context(asked, BlueTransformer(blue: 2))).blue == blue)
    }

    private func context(_ time: Double?, _ transformer: BlueTransformer) -> WebImageContext {
        guard let time else { return [.imageTransformer: transformer] }
        let options: ImageCoderOptions = [.decodeVideoTime: time]
        return [.imageTransformer: transformer, .imageDecodeOptions: options]
    }
}
