import Testing
import MyAppKit

@Test func argumentsAreFilesOrURLs() {
    let list = PictureList(arguments: ["https://example.org/a.png", "b.png"])
    #expect(list.urls.count == 2)
    #expect(list.urls[0].host == "example.org" && list.urls[1].isFileURL)
}
