import Foundation
import Testing
import WebImageCore
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

/// The two forms of the metadata of gain maps, and hostile bytes in place of them.
@Suite(.timeLimit(minutes: 5))
struct GainMapMetadataTests {
    private static let single = GainMapMetadata(
        channels: [.init(minimum: -1, maximum: 3, gamma: 1.5, baseOffset: 0.02, alternateOffset: 0.03)],
        alternateHeadroom: 3)
    private static let triple = GainMapMetadata(
        channels: [
            .init(minimum: 0, maximum: 2), .init(minimum: -0.5, maximum: 1.5, gamma: 1.2),
            .init(maximum: 3, baseOffset: 0),
        ], alternateHeadroom: 2.5, usesBaseColorSpace: false)
    private static let highBase = GainMapMetadata(
        channels: [.init(minimum: -2, maximum: 0, baseOffset: 0.5, alternateOffset: 0.25)], baseHeadroom: 2,
        alternateHeadroom: 0)

    private func isClose(_ one: GainMapMetadata, _ other: GainMapMetadata, _ tolerance: Double) -> Bool {
        func numbers(_ metadata: GainMapMetadata) -> [Double] {
            var list: [Double] = [metadata.baseHeadroom, metadata.alternateHeadroom]
            for channel in metadata.channels {
                list += [channel.minimum, channel.maximum, channel.gamma]
                list += [channel.baseOffset, channel.alternateOffset]
            }
            return list
        }
        let (left, right) = (numbers(one), numbers(other))
        guard left.count == right.count else { return false }
        return left.indices.allSatisfy { abs(left[$0] - right[$0]) <= tolerance }
    }

    @Test(arguments: [single, triple, highBase]) func bothFormsKeepTheNumbers(_ metadata: GainMapMetadata) throws {
        let payload = metadata.isoPayload
        #expect(payload.count == (metadata.channels.count == 3 ? 141 : 61))
        #expect(payload[4] & 0x3F == 0)
        let back = try GainMapMetadata(iso: payload)
        #expect(isClose(back, metadata, 1e-5) && back.usesBaseColorSpace == metadata.usesBaseColorSpace)
        let packet = Data(
            ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF>" + metadata.xmpDescription + "</rdf:RDF></x:xmpmeta>")
                .utf8)
        let read = try #require(try GainMapMetadata(xmp: packet))
        #expect(isClose(read, metadata, 1e-6) && read.isBaseHDR == metadata.isBaseHDR)
    }

    /// The bytes of a file of a phone: fractions with their own denominators.
    @Test func knownBytesHaveTheirNumbers() throws {
        var bytes: [UInt8] = [0, 0, 0, 0, 0x40]
        func add(_ numerator: Int32, _ denominator: UInt32) {
            for number in [UInt32(bitPattern: numerator), denominator] {
                bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
        }
        for (numerator, denominator) in [(0, 1), (13, 10), (-1, 2), (23, 10), (1, 1), (1, 64), (1, 64)] {
            add(Int32(numerator), UInt32(denominator))
        }
        let metadata = try GainMapMetadata(iso: Data(bytes))
        #expect(metadata.alternateHeadroom == 1.3 && metadata.baseHeadroom == 0)
        let wanted = GainMapMetadata.Channel(minimum: -0.5, maximum: 2.3)
        #expect(metadata.channels == [wanted])
        // A later writer may add bytes, this one may not.
        #expect(throws: WebImageError.self) { try GainMapMetadata(iso: Data(bytes) + Data([0])) }
        bytes[3] = 1
        #expect(try GainMapMetadata(iso: Data(bytes) + Data([0])) == metadata)
        bytes[1] = 1
        #expect(throws: WebImageError.self) { try GainMapMetadata(iso: Data(bytes)) }
    }

    /// The layout of a draft has one denominator for all numbers.
    @Test func draftWithOneDenominatorIsRead() throws {
        var bytes: [UInt8] = [0, 0, 0, 0, 0x48]
        for number in [65536, 0, 131072, 0, 131072, 65536, 0, 0] as [UInt32] {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        #expect(bytes.count == 37)
        let metadata = try GainMapMetadata(iso: Data(bytes))
        #expect(metadata.alternateHeadroom == 2 && metadata.channels[0].maximum == 2)
        #expect(metadata.channels[0].baseOffset == 0)
    }

    @Test func hostileNumbersAreRefused() throws {
        let whole = Self.triple.isoPayload
        for count in 0..<whole.count {
            #expect(throws: WebImageError.self) { try GainMapMetadata(iso: whole.prefix(count)) }
        }
        // A denominator of 0 in each fraction, and the greatest number as each numerator. The range of the numbers would refuse
        // infinity as well, so the reason is part of the check.
        for fraction in 0..<17 {
            let start = 5 + 8 * fraction
            var bytes = whole
            bytes.replaceSubrange(start + 4..<start + 8, with: Data(count: 4))
            let error = #expect(throws: WebImageError.self, "fraction \(fraction)") { try GainMapMetadata(iso: bytes) }
            #expect(error.map { "\($0)".contains("denominator 0") } == true, "fraction \(fraction)")
            bytes = whole
            bytes.replaceSubrange(start..<start + 8, with: Data([0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1]))
            #expect(throws: WebImageError.self, "fraction \(fraction)") { try GainMapMetadata(iso: bytes) }
        }
        // A gamma of 0, of a negative number and of a number beside its range.
        for channel in 0..<3 {
            for (numerator, denominator) in [(0, 1), (-1, 1), (1, 20_000), (10_001, 1)] as [(Int32, UInt32)] {
                var bytes = whole
                let fraction = [UInt32(bitPattern: numerator), denominator].flatMap { number in
                    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
                }
                let start = 5 + 8 * (2 + 5 * channel + 2)
                bytes.replaceSubrange(start..<start + 8, with: fraction)
                #expect(throws: WebImageError.self, "gamma \(numerator)/\(denominator)") {
                    try GainMapMetadata(iso: bytes)
                }
            }
        }
        // The factor of the value 0 is the least one.
        var turned = Self.single
        (turned.channels[0].minimum, turned.channels[0].maximum) = (3, -1)
        #expect(throws: WebImageError.self) { try GainMapMetadata(iso: turned.isoPayload) }
        #expect(throws: WebImageError.self) { try GainMapMetadata(xmp: Data(turned.xmpDescription.utf8)) }
        // Three numbers of four texts.
        let list =
            "<rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\"><hdrgm:Gamma>"
            + "<rdf:Seq><rdf:li>1</rdf:li><rdf:li>x</rdf:li><rdf:li>1</rdf:li><rdf:li>1</rdf:li></rdf:Seq></hdrgm:Gamma>"
            + "</rdf:Description>"
        #expect(throws: WebImageError.self) { try GainMapMetadata(xmp: Data(list.utf8)) }
        for text in ["0", "-1", "0.00005", "10001"] {
            let packet =
                "<rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\" "
                + "hdrgm:Gamma=\"\(text)\"/>"
            #expect(throws: WebImageError.self, "gamma \(text)") { try GainMapMetadata(xmp: Data(packet.utf8)) }
        }
        for text in ["nan", "inf", "-inf", "1e400", "two", ""] {
            for name in ["GainMapMin", "GainMapMax", "Gamma", "OffsetSDR", "OffsetHDR", "HDRCapacityMax"] {
                let packet =
                    "<rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" hdrgm:Version=\"1.0\" "
                    + "hdrgm:\(name)=\"\(text)\"/>"
                #expect(throws: WebImageError.self, "\(name) \(text)") { try GainMapMetadata(xmp: Data(packet.utf8)) }
            }
        }
        var random = SeededRandom(seed: 56)
        for _ in 0..<2000 {
            var bytes = Self.single.isoPayload
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            if let metadata = try? GainMapMetadata(iso: bytes) { #expect(metadata.isUsable) }
        }
    }

    /// Adobe's defaults, another prefix, elements in place of attributes, and lists.
    @Test func packetsOfOtherProgramsAreRead() throws {
        let plain =
            "<rdf:Description xmlns:g='http://ns.adobe.com/hdr-gain-map/1.0/' g:Version='1.0' g:GainMapMax='2.5'/>"
        let metadata = try #require(try GainMapMetadata(xmp: Data(plain.utf8)))
        let usual = GainMapMetadata.Channel(minimum: 0, maximum: 2.5)
        #expect(metadata.channels == [usual] && metadata.alternateHeadroom == 1)
        let list =
            "<rdf:Description xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"><hdrgm:Version>1.0</hdrgm:Version>"
            + "<hdrgm:GainMapMax><rdf:Seq>\n<rdf:li>1</rdf:li> <rdf:li>2</rdf:li>\n<rdf:li> 3 </rdf:li></rdf:Seq>"
            + "</hdrgm:GainMapMax><hdrgm:HDRCapacityMax>3</hdrgm:HDRCapacityMax></rdf:Description>"
        let triple = try #require(try GainMapMetadata(xmp: Data(list.utf8)))
        let maxima: [Double] = triple.channels.map(\.maximum)
        #expect(maxima == [1, 2, 3] && triple.alternateHeadroom == 3)
        #expect(
            try GainMapMetadata(xmp: Data("<rdf:Description xmlns:hdrgm=\"other\" hdrgm:Version=\"1\"/>".utf8)) == nil)
    }

    /// The weights of ISO 21496-1 for base pictures of both ranges.
    @Test func weightFollowsTheHeadroom() {
        #expect(Self.single.weight(headroom: 1) == 0 && Self.single.weight(headroom: 8) == 1)
        let third: Double = Self.single.weight(headroom: 2)
        #expect(abs(third - 1.0 / 3) < 1e-12 && Self.single.weight(headroom: 100) == 1)
        #expect(Self.highBase.weight(headroom: 4) == 0 && Self.highBase.weight(headroom: 1) == -1)
        #expect(Self.highBase.weight(headroom: 2) == -0.5)
        let same = GainMapMetadata(channels: [.init()], baseHeadroom: 1, alternateHeadroom: 1)
        #expect(same.weight(headroom: 4) == 0)
    }
}
