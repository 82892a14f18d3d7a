import Foundation
import WebImageCore

/// Writes the parts of a document that rlottie draws otherwise than other renderers in a form that it draws alike.
///
/// - Masks of the mode *none* are removed. rlottie hides what they do not cover, which is all. The modes *lighten* and *darken*
///   become *add* and *intersect*: opaque masks do not differ in them, and rlottie does not know the former.
/// - A translucent shape layer of several paints becomes a composition. rlottie makes each paint translucent, so that covered
///   ones shine through.
/// - A number in a list becomes a number in transforms. rlottie draws nothing of such a layer.
/// - Hidden groups are removed. rlottie draws them.
/// - A constant time remap gets two equal keys. rlottie plays the composition.
/// - A shape layer with a track matte begins with a fill of nothing. rlottie 0.1 draws no such layer that has one paint.
/// - A track matte elsewhere in the list (`tp`) is copied above its layer. rlottie takes the layer above for the matte, and
///   draws the one that is named.
/// - Dashes get their offset, and dots a length. rlottie draws neither dashes without an offset nor dots without a length.
///
/// Documents without these, which are found by a search for their names, documents that cannot be read, and huge ones stay as they
/// are.
struct LottieRepairs {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The bytes of mattes that may still be copied. A document must not grow without limit.
    private var copiedBytes: Int
    /// The compositions that layers became.
    private var assets: [[UInt8]] = []

    /// Returns the repaired document, or the same one if nothing is to repair.
    static func apply(to json: Data) throws(WebImageError) -> Data {
        try json.withFileBytes { raw throws(WebImageError) in
            var repairs = Self(raw.bindMemory(to: UInt8.self))
            guard repairs.isNeeded, !repairs.isHuge, let result = repairs.document() else { return json }
            return Data(result)
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { (self.bytes, copiedBytes) = (bytes, bytes.count) }

    private struct Member {
        let name: Range<Int>
        let value: Range<Int>
    }
    /// Groups that are nested deeper are left alone.
    private static let mostDepth = 30
    /// The bytes, and the values in them, of the largest document that is repaired: groups are read again at each level, and a
    /// value takes up to a hundred bytes of memory.
    private static let (mostBytes, mostValues) = (16 << 20, 1_000_000)

    private var isHuge: Bool {
        guard bytes.count <= Self.mostBytes else { return true }
        return bytes.reduce(0) { $0 + ($1 == UInt8(ascii: ",") ? 1 : 0) } > Self.mostValues
    }

    /// Whether a member is present that is repaired in some cases.
    private var isNeeded: Bool {
        var place = 0
        // Of transforms. Those that are in each other are read again and again.
        var readBytes = 0
        while place + 4 < bytes.count {
            defer { place += 1 }
            guard bytes[place] == UInt8(ascii: "\"") else { continue }
            let digits = UInt8(ascii: "1")...UInt8(ascii: "4")
            switch (bytes[place + 1], bytes[place + 2]) {
            case (UInt8(ascii: "h"), UInt8(ascii: "d")): if next(place, 2) == UInt8(ascii: "t") { return true }
            case (UInt8(ascii: "t"), UInt8(ascii: "m")): if next(place, 2) == UInt8(ascii: "{") { return true }
            case (UInt8(ascii: "t"), UInt8(ascii: "t")): if next(place, 2).map(digits.contains) == true { return true }
            case (UInt8(ascii: "d"), UInt8(ascii: "\"")): if next(place, 1) == UInt8(ascii: "[") { return true }
            case (UInt8(ascii: "m"), UInt8(ascii: "o")): if next(place, 4) == UInt8(ascii: "\"") { return true }
            case (UInt8(ascii: "k"), UInt8(ascii: "s")):
                if isTransform(place, &readBytes) || readBytes > 4 * bytes.count { return true }
            default: break
            }
        }
        return false
    }

    /// Whether a member `ks` is a transform that may not be opaque, or has a number in a list.
    private func isTransform(_ place: Int, _ readBytes: inout Int) -> Bool {
        guard let start = valuePlace(place, 2), bytes[start] == UInt8(ascii: "{") else { return false }
        let read = members(start..<bytes.count)
        // An object without an end was read to the end of the document.
        readBytes += (read.map { $0.last?.value.upperBound ?? start } ?? bytes.count) - start
        guard let members = read else { return false }
        func amount(_ name: StaticString) -> Range<Int>? {
            value(name, members).flatMap { self.members($0) }.flatMap { value("k", $0) }
        }
        let opacity = amount("o")
        for amount in [opacity, amount("r"), amount("rz")] {
            guard let amount, let only = elements(amount), only.count == 1 else { continue }
            if number(only[0]) != nil { return true }
        }
        return opacity.map { number($0) != 100 } ?? false
    }

    /// The first byte of the value behind a name of `count` bytes in quotes; nil if these are no name.
    private func next(_ place: Int, _ count: Int) -> UInt8? { valuePlace(place, count).map { bytes[$0] } }

    private func valuePlace(_ place: Int, _ count: Int) -> Int? {
        guard place + count + 1 < bytes.count, bytes[place + count + 1] == UInt8(ascii: "\"") else { return nil }
        let colon = skipBlanks(place + count + 2)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
        let value = skipBlanks(colon + 1)
        return value < bytes.count ? value : nil
    }

    // MARK: Parts of the document

    private mutating func document() -> [UInt8]? {
        guard var result = compositions() else { return nil }
        guard !assets.isEmpty else { return result }
        // rlottie joins two lists of assets.
        guard let end = result.lastIndex(of: UInt8(ascii: "}")) else { return nil }
        result.replaceSubrange(end..., with: Array(",\"assets\":".utf8) + Self.list(assets) + [UInt8(ascii: "}")])
        return result
    }

    private mutating func compositions() -> [UInt8]? {
        change(skipBlanks(0)..<bytes.count) { repairs, name, value in
            if repairs.matches(name, "layers") { return repairs.layers(value) }
            guard repairs.matches(name, "assets"), let assets = repairs.elements(value) else { return nil }
            var changed: [[UInt8]] = []
            for asset in assets {
                let asset = repairs.change(asset) { repairs, name, value in
                    repairs.matches(name, "layers") ? repairs.layers(value) : nil
                }
                guard let asset else { return nil }
                changed.append(asset)
            }
            return Self.list(changed)
        }
    }

    private mutating func layers(_ range: Range<Int>) -> [UInt8]? {
        guard let ranges = elements(range) else { return nil }
        let facts = ranges.map { range in
            let members = members(range) ?? []
            return (
                index: number("ind", members), matte: number("tt", members).map { (1...4).contains($0) } ?? false,
                source: number("tp", members), isSource: number("td", members).map { $0 > 0 } ?? false
            )
        }
        var byIndex: [Double: Int] = [:]
        for (place, fact) in facts.enumerated() {
            if let index = fact.index, byIndex[index] == nil { byIndex[index] = place }
        }
        // The matte of each layer, if it is named and is not one that has a matte itself.
        let sources = facts.map { fact in
            fact.matte ? fact.source.flatMap { byIndex[$0] }.flatMap { facts[$0].matte ? nil : $0 } : nil
        }
        let named = Set(sources.compactMap { $0 })
        var changed: [[UInt8]] = []
        for (place, range) in ranges.enumerated() {
            guard let layer = layer(range) else { return nil }
            if let source = sources[place], source != place - 1 {
                copiedBytes -= ranges[source].count
                guard copiedBytes >= 0, let copy = self.layer(ranges[source]) else { return nil }
                changed.append(copy)
            }
            let isMatteOfNext =
                place + 1 < ranges.count && facts[place + 1].matte && (sources[place + 1] ?? place) == place
            if named.contains(place), facts[place].isSource, !isMatteOfNext { continue }
            changed.append(layer)
        }
        return Self.list(changed)
    }

    private mutating func layer(_ range: Range<Int>) -> [UInt8]? {
        guard let members = members(range) else { return Array(bytes[range]) }
        let isMatted = number("tt", members).map { (1...4).contains($0) } ?? false
        let maskList = value("masksProperties", members)
        let masks = maskList.flatMap { elements($0) } ?? []
        let used = masks.compactMap { self.mask($0) }
        // rlottie 0.1 draws no translucent composition that has a matte.
        let isMatte = number("td", members).map { $0 > 0 } ?? false
        let composition = isMatted || isMatte ? nil : self.composition(members)
        return change(range) { repairs, name, value in
            if let composition {
                if repairs.matches(name, "ty") { return Array("0,\"refId\":\"\(composition)\"".utf8) }
                if repairs.matches(name, "shapes") { return Array("[]".utf8) }
                if repairs.matches(name, "st") { return Array("0".utf8) }
                if repairs.matches(name, "sr") { return Array("1".utf8) }
            }
            if repairs.matches(name, "shapes") { return repairs.shapes(value, depth: 0, isMatted: isMatted) }
            if repairs.matches(name, "ks") { return repairs.transform(value) }
            // The other members of the name do not count, and many of them must not become many lists.
            if value == maskList, !masks.isEmpty { return Self.list(used) }
            if repairs.matches(name, "hasMask"), used.isEmpty, !masks.isEmpty { return Array("false".utf8) }
            return repairs.matches(name, "tm") ? repairs.time(value) : nil
        }
    }

    /// A mask in a mode that rlottie knows. Nil if the mask has no effect.
    private mutating func mask(_ range: Range<Int>) -> [UInt8]? {
        guard let members = members(range), let mode = value("mode", members) else { return Array(bytes[range]) }
        guard !matches(mode, "\"n\"") else { return nil }
        let other: [UInt8]? =
            matches(mode, "\"l\"") ? Array("\"a\"".utf8) : matches(mode, "\"d\"") ? Array("\"i\"".utf8) : nil
        return change(range) { repairs, name, _ in repairs.matches(name, "mode") ? other : nil }
    }

    /// Adds a composition of the shapes of a layer that is not opaque, and returns its name. Nil if the layer can stay.
    private mutating func composition(_ members: [Member]) -> String? {
        guard number("ty", members) == 4, let shapes = value("shapes", members), paintCount(shapes, depth: 0) > 1,
            let start = number("ip", members), let end = number("op", members), value("refId", members) == nil,
            value("w", members) == nil, value("h", members) == nil,
            let opacity = value("ks", members).flatMap({ self.members($0) }).flatMap({ value("o", $0) }),
            self.members(opacity).flatMap({ number("k", $0) }) != 100,
            let changed = self.shapes(shapes, depth: 0)
        else { return nil }
        let name = "webimage-\(assets.count)"
        let opaque = "\"ks\":{\"o\":{\"a\":0,\"k\":100}}"
        // A size would cut. With a second layer, rlottie makes the whole translucent.
        assets.append(
            Array(
                "{\"id\":\"\(name)\",\"layers\":[{\"ty\":4,\"ip\":\(start),\"op\":\(end),\"st\":0,\(opaque),\"shapes\":"
                    .utf8)
                + changed + Array("},{\"ty\":3,\"ip\":0,\"op\":1,\"st\":0,\(opaque)}]}".utf8))
        return name
    }

    private func paintCount(_ range: Range<Int>, depth: Int) -> Int {
        guard depth < Self.mostDepth, let ranges = elements(range) else { return 0 }
        return ranges.reduce(0) { count, range in
            guard count < 2, let members = members(range), let type = value("ty", members) else { return count }
            if matches(type, "\"gr\"") {
                return count + (value("it", members).map { paintCount($0, depth: depth + 1) } ?? 0)
            }
            // A repeater repeats paints.
            if matches(type, "\"rp\"") { return 2 }
            let isPaint =
                matches(type, "\"fl\"") || matches(type, "\"st\"") || matches(type, "\"gf\"") || matches(type, "\"gs\"")
            return count + (isPaint ? 1 : 0)
        }
    }

    /// A transform whose angle and opacity are numbers.
    private mutating func transform(_ range: Range<Int>) -> [UInt8]? {
        change(range) { repairs, name, value in
            guard repairs.matches(name, "r") || repairs.matches(name, "o") || repairs.matches(name, "rz") else {
                return nil
            }
            return repairs.change(value) { repairs, name, value in
                guard repairs.matches(name, "k"), let only = repairs.elements(value), only.count == 1,
                    repairs.number(only[0]) != nil
                else { return nil }
                return Array(repairs.bytes[only[0]])
            }
        }
    }

    /// Two equal keys for a constant time.
    private func time(_ range: Range<Int>) -> [UInt8]? {
        guard let members = members(range), var constant = value("k", members) else { return nil }
        // A number, a list of it, or one key.
        if bytes[constant.lowerBound] == UInt8(ascii: "[") {
            guard let keys = elements(constant), keys.count == 1 else { return nil }
            constant = keys[0]
        }
        if bytes[constant.lowerBound] == UInt8(ascii: "{") {
            guard let value = self.members(constant).flatMap({ value("s", $0) }) else { return nil }
            constant = elements(value)?.first ?? value
        }
        guard let seconds = number(constant) else { return nil }
        let ease = "\"i\":{\"x\":[1],\"y\":[1]},\"o\":{\"x\":[0],\"y\":[0]}"
        return Array(
            "{\"a\":1,\"k\":[{\"t\":0,\"s\":[\(seconds)],\"e\":[\(seconds)],\(ease)},{\"t\":1,\"s\":[\(seconds)]}]}"
                .utf8)
    }

    private mutating func shapes(_ range: Range<Int>, depth: Int, isMatted: Bool = false) -> [UInt8]? {
        guard depth < Self.mostDepth, let ranges = elements(range) else { return nil }
        var changed: [[UInt8]] = []
        if isMatted, !ranges.isEmpty {
            changed.append(
                Array("{\"ty\":\"fl\",\"c\":{\"a\":0,\"k\":[0,0,0,1]},\"o\":{\"a\":0,\"k\":100},\"r\":1}".utf8))
        }
        for range in ranges {
            guard let members = members(range), let type = value("ty", members) else {
                changed.append(Array(bytes[range]))
                continue
            }
            let isGroup = matches(type, "\"gr\"")
            if isGroup, let hidden = value("hd", members), matches(hidden, "true") { continue }
            if matches(type, "\"tr\"") {
                changed.append(transform(range) ?? Array(bytes[range]))
                continue
            }
            let isStroke = matches(type, "\"st\"") || matches(type, "\"gs\"")
            let isRound = number("lc", members) == 2
            let shape = change(range) { repairs, name, value in
                if isGroup, repairs.matches(name, "it") { return repairs.shapes(value, depth: depth + 1) }
                return isStroke && repairs.matches(name, "d") ? repairs.dashes(value, isRound: isRound) : nil
            }
            changed.append(shape ?? Array(bytes[range]))
        }
        return Self.list(changed)
    }

    private mutating func dashes(_ range: Range<Int>, isRound: Bool) -> [UInt8]? {
        guard let ranges = elements(range), !ranges.isEmpty else { return nil }
        var hasOffset = false
        var changed: [[UInt8]] = []
        for range in ranges {
            guard let members = members(range), let name = value("n", members) else { return nil }
            hasOffset = hasOffset || matches(name, "\"o\"")
            let length = value("v", members).flatMap { self.members($0) }.flatMap { number("k", $0) }
            if isRound, length == 0, matches(name, "\"d\"") {
                changed.append(Array("{\"n\":\"d\",\"v\":{\"a\":0,\"k\":0.1}}".utf8))
            } else {
                changed.append(Array(bytes[range]))
            }
        }
        if !hasOffset { changed.append(Array("{\"n\":\"o\",\"v\":{\"a\":0,\"k\":0}}".utf8)) }
        return Self.list(changed)
    }

    // MARK: JSON

    private static func list(_ elements: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(elements.reduce(2) { $0 + $1.count + 1 })
        result.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { result.append(UInt8(ascii: ",")) }
            result += element
        }
        result.append(UInt8(ascii: "]"))
        return result
    }

    /// Writes an object with other values for some names. Nil if it is no object.
    private mutating func change(
        _ range: Range<Int>, _ replacement: (inout Self, Range<Int>, Range<Int>) -> [UInt8]?
    ) -> [UInt8]? {
        guard let members = members(range), let last = members.last else {
            return range.isEmpty ? nil : Array(bytes[range])
        }
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var place = range.lowerBound
        for member in members {
            guard let value = replacement(&self, member.name, member.value) else { continue }
            result += bytes[place..<member.value.lowerBound]
            result += value
            place = member.value.upperBound
        }
        result += bytes[place..<max(range.upperBound, last.value.upperBound)]
        return result
    }

    private func matches(_ range: Range<Int>, _ text: StaticString) -> Bool {
        bytes[range].elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func value(_ name: StaticString, _ members: [Member]) -> Range<Int>? {
        // rlottie draws by the last of two.
        members.last { matches($0.name, name) }?.value
    }

    private func number(_ name: StaticString, _ members: [Member]) -> Double? {
        value(name, members).flatMap { number($0) }
    }

    private func number(_ range: Range<Int>) -> Double? {
        guard range.count < 40 else { return nil }
        return Double(String(decoding: bytes[range], as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The members of an object, whose names are without quotes; nil if it is no object or does not end.
    private func members(_ range: Range<Int>) -> [Member]? {
        var result: [Member] = []
        let isRead = parts(range, open: UInt8(ascii: "{"), close: UInt8(ascii: "}")) { place in
            guard bytes[place] == UInt8(ascii: "\""), let end = end(of: place), end - place >= 2 else { return nil }
            let colon = skipBlanks(end)
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
            let start = skipBlanks(colon + 1)
            guard start < bytes.count, let valueEnd = self.end(of: start) else { return nil }
            result.append(Member(name: (place + 1)..<(end - 1), value: start..<valueEnd))
            return valueEnd
        }
        return isRead ? result : nil
    }

    /// The values of a list; nil if it is no list or does not end.
    private func elements(_ range: Range<Int>) -> [Range<Int>]? {
        var result: [Range<Int>] = []
        let isRead = parts(range, open: UInt8(ascii: "["), close: UInt8(ascii: "]")) { place in
            guard let end = end(of: place) else { return nil }
            result.append(place..<end)
            return end
        }
        return isRead ? result : nil
    }

    /// Reads what is between two brackets and commas. `part` receives where one starts and returns where it ends.
    private func parts(_ range: Range<Int>, open: UInt8, close: UInt8, part: (Int) -> Int?) -> Bool {
        guard let first = range.first, bytes[first] == open else { return false }
        var place = skipBlanks(first + 1)
        if place < range.upperBound, bytes[place] == close { return true }
        while place < range.upperBound, let end = part(place) {
            let separator = skipBlanks(end)
            guard separator < range.upperBound else { return false }
            if bytes[separator] == close { return true }
            guard bytes[separator] == UInt8(ascii: ",") else { return false }
            place = skipBlanks(separator + 1)
        }
        return false
    }

    private func skipBlanks(_ start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        return place
    }

    /// The place behind the value that starts at a place; nil if it does not end.
    private func end(of start: Int) -> Int? {
        var place = start
        var depth = 0
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
                    place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard place < bytes.count else { return nil }
                if depth == 0 { return place + 1 }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place > start ? place : nil }
                depth -= 1
                if depth == 0 { return place + 1 }
            case UInt8(ascii: ","):
                if depth == 0 { return place > start ? place : nil }
            case 0...0x20:
                if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return nil
    }
}
