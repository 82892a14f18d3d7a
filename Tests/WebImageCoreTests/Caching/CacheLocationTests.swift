import Foundation
import Testing

@testable import WebImageLoading

struct CacheLocationTests {
    @Test(arguments: [
        (["XDG_CACHE_HOME": "/var/cache/me"], "/var/cache/me/app/webimage"),
        (["XDG_CACHE_HOME": "/var/cache/me/"], "/var/cache/me/app/webimage"),
        (["XDG_CACHE_HOME": "relative"], "/home/u/.cache/app/webimage"),
        (["XDG_CACHE_HOME": ""], "/home/u/.cache/app/webimage"),
        ([:], "/home/u/.cache/app/webimage"),
        // HOME from the environment takes precedence over the system's home folder.
        (["HOME": "/srv/u"], "/srv/u/.cache/app/webimage"),
        (["HOME": "/"], "/.cache/app/webimage"),
        (["HOME": "relative"], "/home/u/.cache/app/webimage"),
        (["HOME": ""], "/home/u/.cache/app/webimage"),
        (["HOME": "/srv/u", "XDG_CACHE_HOME": "/var/cache/me"], "/var/cache/me/app/webimage"),
    ])
    func cachesLiveWhereXDGSays(environment: [String: String], expected: String) {
        let found = CacheLocation.directory(environment: environment, home: "/home/u", application: "app")
        #expect(found == expected)
    }

    /// The disk layer accepts only absolute paths. With a relative one, a cache would silently have no disk layer.
    @Test func relativeDirectoryIsInTheCurrentFolder() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        let path = ImageCache(namespace: "n", diskCacheDirectory: "a/b", config: config).diskCachePath
        #expect(path == FileManager.default.currentDirectoryPath + "/a/b/n")
    }

    @Test(arguments: ["a/b", "..", ".", "", "/etc", "../../x", "a\0b"])
    func namespaceNeverLeavesTheDirectory(namespace: String) {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        let path = ImageCache(namespace: namespace, diskCacheDirectory: "/d", config: config).diskCachePath
        let name = path.dropFirst("/d/".count)
        #expect(path.hasPrefix("/d/"))
        #expect(!name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0"))
    }

    @Test func namespaceIsTheFolderName() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        #expect(
            ImageCache(namespace: "avatars", diskCacheDirectory: "/d", config: config).diskCachePath == "/d/avatars")
        #expect(ImageCache.defaultDiskCacheDirectory.hasSuffix("/webimage"))
    }
}
