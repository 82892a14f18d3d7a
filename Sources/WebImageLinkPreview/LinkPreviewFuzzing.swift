package import Foundation
import WebImagePages

/// The entry point of the fuzzer, whose bytes are a page. Traps if a preview has more, or something other, than it may have.
package enum LinkPreviewFuzzing {
    package static func read(_ data: Data) {
        guard let url = URL(string: "https://example.org/a/b?c"),
            let content = try? PageReader.readHere(data, charset: nil)
        else { return }
        precondition(content.entries.count <= PageContent.mostEntries && PageContent(content.entries) == content)
        var preview = LinkPreview(content, url: url)
        let addresses = preview.pictureURLs + preview.iconURLs + [LinkPreview.refresh(content, url: url)?.target ?? url]
        for address in addresses {
            precondition(["http", "https"].contains(address.scheme ?? "") && address.host()?.isEmpty == false)
        }
        precondition(preview.pictureURLs.count <= LinkPreview.mostPictures)
        preview.chosenURL = preview.pictureURLs.first
        precondition(preview.stored.flatMap(LinkPreview.init(stored:)) == preview)
        _ = LinkPreview(stored: data)
    }
}
