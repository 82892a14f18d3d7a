package import Foundation
import WebImageCore

/// The sizes in which views recently showed the image of a URL. If memory contains the image in one of these sizes,
/// that image can be the placeholder while the image is loaded in another size.
///
/// A value type of limited size. It stores the 512 URLs that were added last, and at most eight sizes for each URL. Of a
/// long URL, such as a `data:` URL, it stores a digest.
package struct ViewVariants {
    private var boxes: [String: [CGSize]] = [:]
    private var order: [String] = []
    private let limit: Int

    package init(limit: Int = 512) { self.limit = limit }

    /// Records that the image of a URL was shown at a size. The size zero means full size.
    package mutating func note(_ box: CGSize, of url: URL) {
        let url = url.absoluteString.boundedKey
        guard boxes[url]?.contains(box) != true else { return }
        if boxes[url] == nil {
            if order.count >= limit { boxes[order.removeFirst()] = nil }
            order.append(url)
        }
        boxes[url, default: []].append(box)
        if boxes[url, default: []].count > 8 { boxes[url]?.removeFirst() }
    }

    /// Returns the recorded sizes of a URL except `box`. The largest size is first. The size zero (full size) is larger
    /// than all others.
    package func others(than box: CGSize?, of url: URL) -> [CGSize] {
        func area(_ box: CGSize) -> CGFloat { box == .zero ? .infinity : box.width * box.height }
        return (boxes[url.absoluteString.boundedKey] ?? []).filter { $0 != box }.sorted { area($0) > area($1) }
    }
}
