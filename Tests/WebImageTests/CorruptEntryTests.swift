import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageTestTraits
import WebImageTesting

/// An entry is removed from disk only if no coder can decode the entry.
@Suite(.serialized, .timeLimit(minutes: 1))
struct CorruptEntryTests {
    let journey: Journey
    let url: URL

    init() throws {
        journey = try Journey()
        journey.server.route("/picture.png", .body(try Journey.file()))
        url = journey.server.url("/picture.png")
    }

    private var key: String { url.absoluteString }

    @Test(arguments: [WebImageOptions(), .queryDiskDataSync])
    func failureOfOneCoderRemovesNoValidEntry(_ options: WebImageOptions) async throws {
        journey.cache.storeImageDataToDisk(try Journey.file(), forKey: key)
        let context: WebImageContext = [.imageCoder: RefusingCoder(), .callbackQueue: CallbackQueue.invoking]
        await #expect(throws: WebImageError.self) {
            try await journey.manager.image(for: url, options: options, context: context)
        }
        let answers = Calls<Image?>()
        journey.cache.queryCacheOperation(forKey: key, options: options, context: context) { image, _, _ in
            answers.append(image)
        }
        #expect(await eventually { answers.all.count == 1 })
        #expect(answers.all.first.flatMap { $0 } == nil)
        #expect(journey.cache.diskImageDataSync(forKey: key) == (try Journey.file()))
        #expect(try await journey.manager.result(for: url, options: .retryFailed).cacheType == .disk)
        #expect(journey.server.requestCount("/picture.png") == 0)
    }

    @Test func failureOfARegisteredCoderRemovesNoValidEntry() async throws {
        // Use bytes that no other test uses, because the coder is registered for the whole process.
        let data = try Journey.file(width: 43, height: 31)
        journey.cache.storeImageDataToDisk(data, forKey: key)
        let refusing = RefusingCoder(onlyFor: data)
        ImageCodersManager.shared.addCoder(refusing)
        defer { ImageCodersManager.shared.removeCoder(refusing) }
        #expect(journey.cache.imageFromDiskCache(forKey: key) == nil)
        #expect(journey.cache.diskImageDataSync(forKey: key) == data)
    }

    @Test(arguments: [false, true])
    func entryThatNoCoderReadsIsRemovedAndFetchedAgain(_ isTruncated: Bool) async throws {
        let file = try Journey.file()
        journey.cache.storeImageDataToDisk(isTruncated ? file.prefix(60) : Data("<html>".utf8), forKey: key)
        let context: WebImageContext = isTruncated ? [:] : [.imageCoder: CountingCoder()]
        #expect(try await journey.manager.result(for: url, context: context).cacheType == .none)
        await journey.cache.flush()
        #expect(journey.cache.diskImageDataSync(forKey: key) == file)
    }
}

/// A coder that accepts all data; with `init(onlyFor:)`, it accepts only the given data. It fails to decode the data
/// that it accepts.
private final class RefusingCoder: ImageCoder {
    private let only: Data?
    init(onlyFor data: Data? = nil) { only = data }
    func canDecode(from data: Data) -> Bool { only == nil || data == only }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("fake", "")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        throw .badData("fake", "no image")
    }
}
