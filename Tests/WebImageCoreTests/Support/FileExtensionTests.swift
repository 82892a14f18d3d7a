import Foundation
import Testing

@testable import WebImageCore

struct FileExtensionTests {
    @Test(arguments: [
        "", ".", "..", "/", "a", "a.", "a.png", ".png", "a.b.png", "/a.png", "a.png/", "a.png//", "/a.b/c", "a.b/.png",
        "http://a.test/48.jpg", "http://a.test/48.jpg?3", "http://a.test/48?x=.gif", "http://a.test", "a.test/",
        "http://a.test/a.jpg#b", "ä.öü", "a.é", "a..png", "a.png.", "a. png", "a/b.c/d.tar.gz",
    ])
    func equalsFoundationsExtension(path: String) { #expect(path.fileExtension == (path as NSString).pathExtension) }
}
