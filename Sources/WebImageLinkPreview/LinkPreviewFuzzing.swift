package import Foundation
package import WebImageCore
import WebImagePages

/// The entry point of the fuzzer, whose bytes are a page. Traps if a preview has more, or something other, than it may have.
package enum LinkPreviewFuzzing {
    /// Reads one input of the fuzzer.
    ///
    /// - Parameter inWorker: Whether a decoder process parses the page; they must be enabled.
    /// - Throws: The errors of the page's reader.
    package static func read(_ data: Data, inWorker: Bool = false) throws(WebImageError) {
        guard let url = URL(string: "https://example.org/a/b?c") else { return }
        let content =
            try inWorker ? PageReader.read(data, charset: nil) : PageReader.readHere(data, charset: nil)
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
