import Foundation
import WebImage

/// The items of the gallery, with the state of each item. Also selects the items that match the filter.
@MainActor final class GalleryModel {
    private(set) var items: [GalleryItem]
    /// The indices in ``items`` of the items that match the filter.
    private(set) var shown: [Int]
    /// The indices of the items that a card has shown at least once.
    private(set) var visited: Set<Int> = []
    /// The closure that is called after ``shown`` has changed.
    var changed: (@MainActor () -> Void)?

    var filter = "" { didSet { if filter != oldValue { refresh() } } }

    private var places: [URL: Int] = [:]

    init(_ urls: [URL]) {
        items = urls.map { GalleryItem(url: $0) }
        shown = Array(items.indices)
        places = Dictionary(zip(urls, items.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The item at an index of ``shown``.
    subscript(position: Int) -> GalleryItem? {
        shown.indices.contains(position) ? items[shown[position]] : nil
    }

    /// Adds the URLs that are not in the gallery yet. Returns the number of added URLs.
    @discardableResult func add(_ urls: [URL]) -> Int {
        let before = items.count
        for url in urls where places[url] == nil {
            places[url] = items.count
            items.append(GalleryItem(url: url))
        }
        if items.count > before { refresh() }
        return items.count - before
    }

    /// Stores the state of an item and marks it as visited.
    func note(_ state: GalleryItem.State, of item: GalleryItem) {
        guard let place = places[item.url] else { return }
        visited.insert(place)
        items[place].state = state
    }

    private func refresh() {
        let words = filter.lowercased()
        shown = items.indices.filter { words.isEmpty || items[$0].url.absoluteString.lowercased().contains(words) }
        changed?()
    }

    /// Returns the URLs and the paths in a text. Line breaks and spaces separate the entries. An entry that is the path
    /// of a missing file is omitted. A line that starts with `/` is one path, even if it contains spaces. Such a path
    /// is returned even if its file is missing.
    static func urls(in text: String) -> [URL] {
        text.split(whereSeparator: \.isNewline).flatMap { line -> [URL] in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.hasPrefix("/") else { return [URL(fileURLWithPath: line)] }
            return line.split(separator: " ").compactMap { GalleryArguments.url(String($0)) }.filter {
                $0.scheme != nil && !$0.isFileURL || FileManager.default.fileExists(atPath: $0.path)
            }
        }
    }
}
