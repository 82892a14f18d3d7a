import Foundation
import WebImageCore
import WebImagePages

/// The rules by which a preview is made of the words of a page.
extension LinkPreview {
    /// The most pictures, and the most icons.
    static let mostPictures = 8
    private static let mostCharacters = 1000

    /// - Parameter url: The address of the page, after redirects.
    init(_ page: PageContent, url: URL) {
        self.init(url: url)
        title = Self.text(
            page.first(.meta, "og:title", "twitter:title") ?? page.first(.title, "") ?? page.first(.linkedData, "title")
                ?? page.first(.meta, "itemprop:name", "title"))
        siteName = Self.text(
            page.first(.meta, "og:site_name", "application-name") ?? page.first(.linkedData, "site"))
        summary = Self.text(
            page.first(.meta, "og:description", "twitter:description", "description", "itemprop:description")
                ?? page.first(.linkedData, "summary"))
        let base = Self.base(page, url)
        let addresses =
            Self.openGraphPictures(page) + Self.values(of: .meta, ["twitter:image", "twitter:image:src"], in: page)
            + Self.values(of: .linkedData, ["image"], in: page) + Self.links(page, "image_src")
            + Self.values(of: .meta, ["itemprop:image", "thumbnail"], in: page)
        pictureURLs = Self.urls(addresses, base)
        iconURLs = Self.urls(Self.icons(page), base, most: Self.mostPictures - 1)
        if let usual = URL(webAddress: "/favicon.ico", relativeTo: url), !iconURLs.contains(usual) {
            iconURLs.append(usual)
        }
    }

    /// Where the page leads its reader, and after which number of seconds. Nil if it leads nowhere.
    static func refresh(_ page: PageContent, url: URL) -> (target: URL, seconds: Double)? {
        guard let value = page.first(.meta, "http-equiv:refresh") else { return nil }
        let parts = value.split(maxSplits: 1) { $0 == ";" || $0 == "," }
        guard parts.count == 2, let seconds = Double(parts[0].trimmingCharacters(in: .whitespaces)) else { return nil }
        var address = parts[1].trimmingCharacters(in: .whitespaces)
        if address.lowercased().hasPrefix("url") {
            let rest = address.dropFirst(3).drop { $0.isWhitespace }
            if rest.first == "=" { address = rest.dropFirst().trimmingCharacters(in: .whitespaces) }
        }
        if let quote = address.first, quote == "'" || quote == "\"" {
            address = String(address.dropFirst().prefix { $0 != quote })
        }
        guard let target = resolved(address, base(page, url)), target != url else { return nil }
        return (target, seconds)
    }

    // MARK: Addresses

    /// The first `<base>` counts, if it is a web address.
    private static func base(_ page: PageContent, _ url: URL) -> URL {
        page.first(.base, "").flatMap { resolved($0, url) } ?? url
    }

    private static func resolved(_ address: String, _ base: URL) -> URL? {
        guard !address.isEmpty, let url = URL(webAddress: address, relativeTo: base),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), url.host() != nil
        else { return nil }
        return url
    }

    private static func urls(_ addresses: [String], _ base: URL, most: Int = mostPictures) -> [URL] {
        var urls: [URL] = []
        for address in addresses {
            guard let url = resolved(address, base), !urls.contains(url) else { continue }
            urls.append(url)
            if urls.count == most { break }
        }
        return urls
    }

    // MARK: Pictures

    private struct OpenGraphPicture {
        var address: String
        var secure: String?
        var sides: [Int] = []

        /// A picture of one pixel counts the readers.
        var isTooSmall: Bool { sides.contains { $0 < 8 } }
    }

    /// The pictures of Open Graph. A property such as `og:image:width` belongs to the picture before it.
    private static func openGraphPictures(_ page: PageContent) -> [String] {
        var pictures: [OpenGraphPicture] = []
        for entry in page.entries where entry.kind == .meta {
            switch entry.name {
            case "og:image", "og:image:url":
                // Some pages name the same picture by both properties.
                if pictures.last?.address == entry.value { continue }
                pictures.append(OpenGraphPicture(address: entry.value))
            case "og:image:secure_url":
                if pictures.isEmpty || pictures[pictures.count - 1].secure != nil {
                    pictures.append(OpenGraphPicture(address: entry.value))
                }
                pictures[pictures.count - 1].secure = entry.value
            case "og:image:width", "og:image:height":
                if let side = Int(entry.value), !pictures.isEmpty { pictures[pictures.count - 1].sides.append(side) }
            default: break
            }
        }
        return pictures.filter { !$0.isTooSmall }.map { picture in
            guard let secure = picture.secure, secure.lowercased().hasPrefix("https:") else { return picture.address }
            return secure
        }
    }

    private static func values(of kind: PageContent.Kind, _ names: [String], in page: PageContent) -> [String] {
        page.entries.filter { $0.kind == kind && names.contains($0.name) }.map(\.value)
    }

    private static func links(_ page: PageContent, _ rel: String) -> [String] {
        page.entries.filter { $0.kind == .link && $0.name.split(separator: " ").contains(rel[...]) }.map(\.value)
    }

    // MARK: Icons

    /// The addresses of the icons, the largest first.
    private static func icons(_ page: PageContent) -> [String] {
        var icons: [(side: Int, address: String)] = []
        for entry in page.entries {
            if entry.has(.meta, "msapplication-tileimage") { icons.append((144, entry.value)) }
            guard entry.kind == .link else { continue }
            let words = entry.name.split(separator: " ")
            let isApple = words.contains { $0.hasPrefix("apple-touch-icon") }
            guard isApple || words.contains("icon") || words.contains("fluid-icon") else { continue }
            icons.append((side(of: entry, usual: isApple ? 180 : 16), entry.value))
        }
        // A stable order, so that of equal icons the first one counts.
        return icons.enumerated().sorted { ($1.element.side, $0.offset) < ($0.element.side, $1.offset) }
            .map(\.element.address)
    }

    private static func side(of icon: PageContent.Entry, usual: Int) -> Int {
        let words = icon.detail.split(separator: " ")
        let path = icon.value.lowercased().prefix { $0 != "?" && $0 != "#" }
        if words.contains("any") || words.contains("image/svg+xml") || path.hasSuffix(".svg") { return 512 }
        let sides = words.compactMap { word -> Int? in
            let sides = word.split(separator: "x").compactMap { Int($0) }
            return sides.count == 2 ? min(max(sides[0], sides[1]), 4096) : nil
        }
        return sides.max() ?? usual
    }

    // MARK: Texts

    /// One line of text without control characters. Those that change the direction of the text around it are dropped too.
    private static func text(_ value: String?) -> String? {
        guard let value else { return nil }
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: text.append(" ")
            case .format where isDirection(scalar): continue
            default: text.append(scalar)
            }
        }
        let words = String(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? nil : String(words.prefix(mostCharacters))
    }

    private static func isDirection(_ scalar: Unicode.Scalar) -> Bool {
        [0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069].contains { $0.contains(scalar.value) }
    }
}
