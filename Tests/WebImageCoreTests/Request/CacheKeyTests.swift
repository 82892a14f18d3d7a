import Foundation
import Testing
import WebImageLoading

struct CacheKeyTests {
    @Test(arguments: [
        ("image.png", "image-S.png"), ("image", "image-S"), (".image", ".image-S"), ("image.", "image.-S"),
        ("Test/image.png", "Test/image-S.png"), ("http://foo/image", "http://foo/image-S"),
        ("http://foo/image.png?foo=bar#mark", "http://foo/image-S.png?foo=bar#mark"),
        ("ftp://root:password@foo.com/image.png", "ftp://root:password@foo.com/image-S.png"),
        ("http://foo/.image", "http://foo/.image-S"), ("http://foo/image.png", "http://foo/image-S.png"),
    ])
    // SDImageTransformerTests.test10TransformerKeyForCacheKey
    func theSuffixGoesBeforeTheExtension(_ key: String, _ expected: String) {
        #expect(CacheKey.transformed(key, suffix: "S") == expected)
    }

    @Test func urlsThatDifferInTheirEscapesKeepDifferentKeys() {
        let keys = ["http://h/x%2By.png", "http://h/x+y.png", "http://h/x%2Fy.png", "http://h/x/y.png"].map {
            CacheKey.transformed($0, suffix: "S")
        }
        #expect(keys == ["http://h/x%2By-S.png", "http://h/x+y-S.png", "http://h/x%2Fy-S.png", "http://h/x/y-S.png"])
    }

    @Test func thumbnailSuffixEqualsTheOriginals() {
        let box = CGSize(width: 100, height: 100)
        #expect(
            CacheKey.thumbnail("https://foo.com/a.png", box: box, preserveAspectRatio: true)
                == "https://foo.com/a-Thumbnail(%7B100.000000,100.000000%7D,1).png")
        #expect(
            CacheKey.thumbnail("https://foo.com/a", box: box, preserveAspectRatio: true)
                == "https://foo.com/a-Thumbnail({100.000000,100.000000},1)")
    }

    @Test(arguments: [
        ("a@2x.png", 2.0), ("a@3x.png", 3), ("@2x.png", 1), ("https://h/a%402x.png", 2), ("file:///a%402x.png", 1),
        ("picture@2x", 1), ("picture2x.png", 1), ("https://h/402x.png", 1), ("a@3x.b@2x.png", 2), ("bäume@3x.png", 3),
        ("https://h/%403x.png?b=%402x", 3), ("picture@x.png", 1), ("picture@2x.", 2),
    ])
    func keyContainsTheScale(_ key: String, _ scale: Double) {
        #expect(CacheKey.scaleFactor(key) == scale)
    }
}
