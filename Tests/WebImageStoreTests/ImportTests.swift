import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests the import of a cache folder of SDWebImage.
@Suite(.timeLimit(minutes: 1))
struct ImportTests {
    let folder: ScratchFolder
    var old: String { folder.path + "/default/com.hackemist.SDWebImageCache.default" }

    init() throws { folder = try ScratchFolder() }

    func open() throws -> DiskCache {
        try #require(DiskCache(cachePath: folder.path + "/cache", config: ImageCacheConfig()))
    }

    static let staticMap = "https://maps.googleapis.com/maps/api/staticmap?center=48.8566,2.3522&zoom=14.5&size=100x100"

    @Test(arguments: [("https://placehold.co/50x50.jpg", "e9936aba8d7f7fcca7813d72290de957.jpg")])
    // SDImageCacheTests.test34CachePathForSimpleKeyWithExtension
    func fileNameIsTheKeysDigestAndExtension(key: String, name: String) {
        #expect(OriginalLayout.fileName(forKey: key) == name)
    }

    @Test func dotsInTheQueryAreNoExtension() {  // SDImageCacheTests.test35CachePathForKeyWithDotButNoExtension
        let name = OriginalLayout.fileName(forKey: Self.staticMap)
        #expect(name.utf8.count == 32)
    }

    @Test func extensionExcludesTheQuery() {  // SDImageCacheTests.test36CachePathForKeyWithURLQueryParams
        let key = "https://img.example.com/a/b.jpg?aid=1&data=%7B%22x%22%3A%22c.jpg%22%7D"
        #expect(OriginalLayout.fileName(forKey: key).hasSuffix(".jpg"))
        #expect(OriginalLayout.fileName(forKey: key).utf8.count == 36)
    }

    @Test  // SDImageCacheTests.test37CachePathForKeyWithTooLongExtension
    func extensionTooLongForAFileSystemIsDropped() {
        let key = "https://img.example.com/a." + String(repeating: "x", count: 374)
        #expect(OriginalLayout.fileName(forKey: key).utf8.count == 32)
    }

    @Test func zeroBytesAndColonsAreRemovedFromTheExtension() {  // SDImageCacheTests.test49DiskCacheKeyForInvalidURL
        let key = "http://e.example.com/image/a1ec08fa513d2697e542494057fbb2fb4316d81e.jpg00%00"
        #expect(OriginalLayout.fileName(forKey: key).hasSuffix(".jpg00"))
    }

    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
    ])
    func digestsAreThoseOfRFC1321(text: String, digest: String) {
        #expect(MD5.hex(of: text.utf8) == digest)
    }

    @Test  // SDImageCacheTests.test44DiskCacheMigrationFromOldVersion
    func everyFileIsImportedUnderItsKeyAndTheOldFolderRemoved() throws {
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        func key(_ number: Int) -> String { "https://example.com/a\(number).png" }
        for number in 0..<100 {
            let value = bytes(number % 10 == 0 ? 100_000 : 500, seed: UInt64(number))
            // Every fifth file has no extension, as in older versions of SDWebImage.
            let name = OriginalLayout.fileName(forKey: key(number))
            let file = old + "/" + (number % 5 == 0 ? String(name.prefix(32)) : name)
            try value.write(to: URL(fileURLWithPath: file))
        }
        var cache: DiskCache? = try open()
        #expect(cache?.importFiles(fromDirectory: old) == 100)
        #expect(!FileManager.default.fileExists(atPath: old))
        #expect(cache?.totalCount() == 100)
        cache = nil
        let next = try open()
        for number in 0..<100 {
            #expect(next.containsData(forKey: key(number)))
            let value = bytes(number % 10 == 0 ? 100_000 : 500, seed: UInt64(number))
            #expect(next.data(forKey: key(number)) == value)
            #expect(next.data(forKey: key(number)) == value)
        }
        #expect(next.totalCount() == 100)
        next.removeData(forKey: key(3))
        #expect(next.data(forKey: key(3)) == nil)
        #expect(!next.containsData(forKey: key(3)))
    }

    @Test func importRestoresNoReplacedOrRemovedKey() throws {
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        for key in ["https://e.com/a.png", "https://e.com/b.png"] {
            try bytes(10).write(to: URL(fileURLWithPath: old + "/" + OriginalLayout.fileName(forKey: key)))
        }
        let cache = try open()
        #expect(cache.importFiles(fromDirectory: old) == 2)
        cache.removeData(forKey: "https://e.com/a.png")
        cache.setData(bytes(20), forKey: "https://e.com/b.png")
        cache.removeData(forKey: "https://e.com/b.png")
        #expect(cache.data(forKey: "https://e.com/a.png") == nil)
        #expect(cache.data(forKey: "https://e.com/b.png") == nil)
        #expect(cache.totalCount() == 0)
    }

    @Test func importKeepsForeignFiles() throws {
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        let digest = MD5.hex(of: "key".utf8)
        try bytes(10).write(to: URL(fileURLWithPath: old + "/notes.txt"))
        try FileManager.default.createSymbolicLink(atPath: old + "/" + digest, withDestinationPath: "/etc/passwd")
        try FileManager.default.createDirectory(atPath: old + "/" + digest + ".png", withIntermediateDirectories: false)
        let cache = try open()
        #expect(cache.importFiles(fromDirectory: old) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: old).count == 3)
        #expect(cache.data(forKey: "key") == nil)
        #expect(cache.importFiles(fromDirectory: "/nowhere") == 0)
    }
}
