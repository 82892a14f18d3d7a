/// What a web page says about itself, in the order of the page. The values are the page's own words: addresses are not
/// resolved, and nothing is checked except lengths.
package struct PageContent: Sendable, Equatable {
    package enum Kind: Int, Sendable, CaseIterable {
        /// The address in `<base>`.
        case base
        /// A `<meta>` element; the name is that of its `property`, `name`, `itemprop` or `http-equiv`.
        case meta
        /// A `<link>` element; the name is its `rel`, the detail its `sizes` and `type`.
        case link
        /// The text of `<title>`.
        case title
        /// A fact of a JSON-LD block; the name is `image`, `title`, `site` or `summary`.
        case linkedData
    }

    package struct Entry: Sendable, Equatable {
        package var kind: Kind
        /// In lower case.
        package var name: String
        package var value: String
        package var detail: String

        package init(_ kind: Kind, name: String = "", value: String, detail: String = "") {
            (self.kind, self.name, self.value, self.detail) = (kind, name, value, detail)
        }

        package func has(_ kind: Kind, _ name: String) -> Bool { self.kind == kind && self.name == name }
    }

    /// The most entries of a page. A page of a shop with hundreds of pictures names the first ones first.
    package static let mostEntries = 512
    /// The most bytes of a value. Signed addresses of pictures have up to a few thousand.
    package static let mostValueBytes = 8192
    /// The most bytes of a name or detail.
    package static let mostNameBytes = 256

    package private(set) var entries: [Entry] = []

    package init() {}

    /// Adds an entry unless it is empty, too long, or one too many.
    package mutating func add(_ entry: Entry) {
        guard entries.count < Self.mostEntries, !entry.value.isEmpty, Self.isAllowed(entry) else { return }
        entries.append(entry)
    }

    /// Makes the content from entries of another process. Nil if a page cannot have them.
    package init?(_ entries: [Entry]) {
        guard entries.count <= Self.mostEntries, entries.allSatisfy(Self.isAllowed) else { return nil }
        self.entries = entries
    }

    private static func isAllowed(_ entry: Entry) -> Bool {
        entry.value.utf8.count <= mostValueBytes && entry.name.utf8.count <= mostNameBytes
            && entry.detail.utf8.count <= mostNameBytes
    }

    package func first(_ kind: Kind, _ names: String...) -> String? {
        for name in names {
            if let entry = entries.first(where: { $0.has(kind, name) }) { return entry.value }
        }
        return nil
    }
}
