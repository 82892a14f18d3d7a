public import Foundation
public import WebImageCore
public import WebImageLoading

/// What a web page says about itself, for a preview of a link to it.
///
/// The texts are those of the page's author: show them as plain text. They have at most 1,000 characters each.
public struct LinkPreview: Sendable, Hashable, Codable {
    /// The address of the page, after redirects.
    public var url: URL
    /// The title: `og:title`, `twitter:title`, `<title>` or the headline of JSON-LD.
    public var title: String?
    /// The name of the site: `og:site_name`, `application-name` or the publisher of JSON-LD.
    public var siteName: String?
    /// The description: `og:description`, `twitter:description` or `description`.
    public var summary: String?
    /// The pictures, the most wanted first: Open Graph, Twitter, JSON-LD, `image_src`, microdata. All are http or https.
    public var pictureURLs: [URL] = []
    /// The icons, the largest first. The last one is `/favicon.ico` of the site.
    public var iconURLs: [URL] = []
    /// The picture or icon that a load has chosen; nil before.
    public var chosenURL: URL?

    /// Creates the preview of a page without pictures.
    public init(url: URL) { self.url = url }
}

extension ImageDataResult {
    /// The preview of the page whose picture the body is. Nil if the body is no picture of a page.
    public var linkPreview: LinkPreview? { extended.flatMap(LinkPreview.init(stored:)) }
}

extension Image {
    /// The preview of the page from which ``LinkPreviewImageLoader`` has loaded the picture, also if a cache had the picture.
    /// Nil for every other picture.
    public final var linkPreview: LinkPreview? {
        if let preview = extendedObject as? LinkPreview { return preview }
        return (extendedObject as? Data).flatMap(LinkPreview.init(stored:))
    }
}

/// The form in the image and in the cache: a line that names the form, and JSON.
extension LinkPreview {
    private static let signature = Data("webimage-link 1\n".utf8)

    init?(stored data: Data) {
        guard data.starts(with: Self.signature), data.count <= 256 << 10,
            let preview = try? JSONDecoder().decode(Self.self, from: data.dropFirst(Self.signature.count))
        else { return nil }
        self = preview
    }

    var stored: Data? {
        let encoder = JSONEncoder()
        // Two equal previews have equal bytes, so that a refresh can compare them.
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { Self.signature + $0 }
    }
}
