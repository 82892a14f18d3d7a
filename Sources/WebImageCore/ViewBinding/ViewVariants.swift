package import Foundation

/// The sizes in which views recently showed a URL. With them, an image in memory can be the placeholder for the same
/// image in another size.
///
/// A value type of limited size: the 512 most recently used URLs, with at most eight sizes each.
package struct ViewVariants {
    private var boxes: [URL: [CGSize]] = [:]
    private var order: [URL] = []
    private let limit: Int

    package init(limit: Int = 512) { self.limit = limit }

    /// Records that a URL was shown at a size.
    package mutating func note(_ box: CGSize, of url: URL) {
        guard boxes[url]?.contains(box) != true else { return }
        if boxes[url] == nil {
            if order.count >= limit { boxes[order.removeFirst()] = nil }
            order.append(url)
        }
        boxes[url, default: []].append(box)
        if boxes[url, default: []].count > 8 { boxes[url]?.removeFirst() }
    }

    /// Returns the other sizes of a URL, the largest first.
    package func others(than box: CGSize?, of url: URL) -> [CGSize] {
        (boxes[url] ?? []).filter { $0 != box }.sorted { $0.width * $0.height > $1.width * $1.height }
    }
}
