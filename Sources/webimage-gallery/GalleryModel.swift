import Foundation
import WebImage

/// The pictures of the gallery, which of them are shown, and how far each has come.
@MainActor final class GalleryModel {
    private(set) var items: [GalleryItem]
    /// Places in ``items`` of those that fit the filter.
    private(set) var shown: [Int]
    /// The items that a card has shown at least once.
    private(set) var visited: Set<Int> = []
    /// Called when other items are shown than before.
    var changed: (@MainActor () -> Void)?

    var filter = "" { didSet { if filter != oldValue { refresh() } } }

    private var places: [URL: Int] = [:]

    init(_ urls: [URL]) {
        items = urls.map { GalleryItem(url: $0) }
        shown = Array(items.indices)
        places = Dictionary(zip(urls, items.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The item at a place among those shown.
    subscript(position: Int) -> GalleryItem? {
        shown.indices.contains(position) ? items[shown[position]] : nil
    }

    /// Adds what is not there yet; gives how many were.
    @discardableResult func add(_ urls: [URL]) -> Int {
        let before = items.count
        for url in urls where places[url] == nil {
            places[url] = items.count
            items.append(GalleryItem(url: url))
        }
        if items.count > before { refresh() }
        return items.count - before
    }

    /// Notes what became of the item at a place among those shown.
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

    /// The URLs and paths of a text, line by line or between blanks.
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
