import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageTestTraits

/// Every way to load a disk entry returns the same image with the same flags.
@Suite(.timeLimit(minutes: 1))
struct EntryTableTests {
    let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws {
        fixture = try EntryFixture()
        try fixture.answer(url, blue: 10, width: 60, height: 60)
    }

    struct Entry: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let context: @Sendable () -> WebImageContext
    }

    private static let entries = [
        Entry(testDescription: "original") { [:] },
        Entry(testDescription: "thumbnail") {
            [.imageThumbnailPixelSize: CGSize(width: 10, height: 10), .storeCacheType: ImageCacheType.all]
        },
        Entry(testDescription: "transformed") { [.imageTransformer: BlueTransformer()] },
        Entry(testDescription: "transformed thumbnail, larger than its box") {
            [
                .imageTransformer: BlueTransformer(width: 50),
                .imageThumbnailPixelSize: CGSize(width: 10, height: 10),
            ]
        },
        Entry(testDescription: "transformed, larger than the scale-down limit") {
            [.imageTransformer: BlueTransformer(width: 50), .imageScaleDownLimitBytes: 1600]
        },
    ]

    struct Flags: Equatable, CustomStringConvertible {
        var size: PixelSize
        var blue: UInt8
        var isTransformed: Bool
        var isThumbnail: Bool
        var extended: Data?
        var format: ImageFormat
        var type: ImageCacheType

        init(_ image: Image, _ type: ImageCacheType) {
            size = image.pixelSize
            blue = image.blue
            isTransformed = image.isTransformed
            isThumbnail = image.isThumbnail
            extended = image.extendedObject as? Data
            format = image.imageFormat
            self.type = type
        }

        var description: String {
            "\(size) blue \(blue) transformed \(isTransformed) thumbnail \(isThumbnail) "
                + "extended \(extended?.count ?? -1) \(format.rawValue) \(type.rawValue)"
        }
    }

    @Test(arguments: entries)
    func everyPathFromADiskEntryReturnsTheSameImage(entry: Entry) async throws {
        let context = entry.context()
        let made = try await fixture.load(url, [], context).result.image
        let key = try #require(fixture.manager.cacheKey(for: url, context: context))
        await fixture.cache.flush()
        #expect(fixture.cache.diskImageDataExists(withKey: key))
        let disk = try #require(fixture.cache.diskCache)
        disk.setExtendedData(Data([1, 2, 3]), forKey: key)

        let reading = try fixture.restarted()
        let asynchronous = try await reading.load(url, .fromCacheOnly, context).result
        let synchronous = try await fixture.restarted().load(url, [.fromCacheOnly, .queryDiskDataSync], context).result

        var plain = context
        plain[.storeCacheType] = nil
        plain[.imageTransformer] = nil
        plain[.callbackQueue] = CallbackQueue.invoking
        let calls = Calls<(Image?, ImageCacheType)>()
        try fixture.restarted().cache.queryCacheOperation(forKey: key, context: plain) { image, _, type in
            calls.append((image, type))
        }
        let queried = try #require(await calls.wait())
        let direct = try #require(try fixture.restarted().cache.imageFromDiskCache(forKey: key, context: plain))
        let all = [
            Flags(asynchronous.image, asynchronous.cacheType), Flags(synchronous.image, synchronous.cacheType),
            Flags(try #require(queried.0), queried.1), Flags(direct, .disk),
        ]
        #expect(Set(all.map(\.description)).count == 1, "\(all)")
        var first = Flags(made, .disk)
        first.extended = Data([1, 2, 3])
        #expect(all[0] == first)
    }
}
