/// Images in the order of their second chances (the CLOCK algorithm as a queue): a pure structure without a lock.
///
/// Using an image sets a bit. The one at the front is evicted, unless its bit is set: then the bit is cleared and it goes
/// to the back.
struct ClockRing {
    /// An image and what it was stored with.
    struct Entry {
        let key: String
        let image: Image
        let cost: Int
    }

    /// What a hit needs stands in the dictionary itself: a lookup in a large cache costs what it misses in the
    /// processor's caches.
    private struct Hit {
        let image: Image
        let place: Int
    }

    /// A place in the queue.
    private struct Place {
        var key = ""
        var cost = 0
        var next = nowhere
        var previous = nowhere
    }

    private static let nowhere = -1

    private var hits: [String: Hit] = [:]
    private var places: ContiguousArray<Place> = []
    /// A byte a place, so that the bits of thousands of images stay in the nearest cache.
    private var wasUsed: ContiguousArray<Bool> = []
    private var free = nowhere
    private var front = nowhere
    private var back = nowhere
    private(set) var totalCost = 0

    var count: Int { hits.count }

    /// The image of a key, marked as used.
    @inline(__always)
    mutating func use(_ key: String) -> Image? {
        guard let hit = hits[key] else { return nil }
        // Reading is cheaper than making a line of memory exclusive to this core again.
        if !wasUsed[hit.place] { wasUsed[hit.place] = true }
        return hit.image
    }

    /// Keeps an image under a key that has none.
    mutating func append(_ image: Image, _ key: String, cost: Int) {
        let place: Int
        if free == Self.nowhere {
            place = places.count
            places.append(Place())
            wasUsed.append(false)
        } else {
            place = free
            free = places[place].next
        }
        places[place] = Place(key: key, cost: cost)
        hits[key] = Hit(image: image, place: place)
        totalCost += cost
        link(place)
    }

    /// Forgets an image.
    mutating func remove(_ key: String) -> Entry? {
        guard let hit = hits.removeValue(forKey: key) else { return nil }
        let place = hit.place
        let cost = places[place].cost
        unlink(place)
        places[place] = Place(next: free)
        wasUsed[place] = false
        free = place
        totalCost -= cost
        return Entry(key: key, image: hit.image, cost: cost)
    }

    /// Forgets the longest unused image.
    mutating func evict() -> Entry? {
        while front != Self.nowhere, wasUsed[front] {
            let place = front
            wasUsed[place] = false
            unlink(place)
            link(place)
        }
        return front == Self.nowhere ? nil : remove(places[front].key)
    }

    private mutating func link(_ place: Int) {
        places[place].previous = back
        places[place].next = Self.nowhere
        if back == Self.nowhere { front = place } else { places[back].next = place }
        back = place
    }

    private mutating func unlink(_ place: Int) {
        let (previous, next) = (places[place].previous, places[place].next)
        if previous == Self.nowhere { front = next } else { places[previous].next = next }
        if next == Self.nowhere { back = previous } else { places[next].previous = previous }
    }
}
