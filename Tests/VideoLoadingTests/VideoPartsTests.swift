import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore
@testable import WebImageVideoLoading

/// The form of a video of which only parts are here, and what is fetched next.
struct VideoPartsTests {
    private let video = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 5) })

    private func read(_ data: Data) -> VideoParts? { data.withUnsafeBytes { VideoParts($0) } }

    private func joined(_ ranges: [Range<Int>], isFinal: Bool = false) -> Data {
        VideoParts.joined(ranges.map { ($0.lowerBound, video[$0]) }, byteCount: video.count, isFinal: isFinal)
    }

    @Test func placesAreThoseOfTheVideo() throws {
        let ranges = [0..<700, 800..<801, 4000..<5000]
        for isFinal in [false, true] {
            let data = joined(ranges, isFinal: isFinal)
            let parts = try #require(read(data))
            #expect(parts.byteCount == 5000 && parts.isFinal == isFinal && parts.parts.map(\.video) == ranges)
            for offset in 0..<5001 {
                let range = ranges.first { $0.contains(offset) }
                let found = parts.place(of: offset)
                #expect(found?.count == range.map { $0.upperBound - offset })
                if let found { #expect(data[found.place] == video[offset]) }
            }
        }
    }

    @Test func otherDataIsNoVideoInParts() {
        #expect(read(Data()) == nil && read(video) == nil && read(Data("webimage parts 1".utf8)) == nil)
        let data = joined([0..<700, 800..<900])
        for count in 0..<data.count { #expect(read(data.prefix(count)) == nil) }
        for wrong in [[10..<20], [0..<20, 10..<30], [0..<20, 4990..<5000, 30..<40]] {
            #expect(read(joined(wrong)) == nil)
        }
        let beyond = VideoParts.joined([(0, video), (9000, video)], byteCount: 9001, isFinal: false)
        #expect(read(beyond) == nil)
        let many = (0..<300).map { $0 * 10..<$0 * 10 + 1 }
        #expect(read(joined(many)) == nil && read(joined(Array(many.prefix(256)))) != nil)
    }

    /// A server can send the mark and any table.
    @Test func everyTableIsSafe() {
        var random = SeededRandom.printingSeed()
        var read = 0
        for _ in 0..<4000 {
            var data = joined([0..<70, 80..<90, 4900..<5000])
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = data.count - 17 - Int.random(in: 0..<64, using: &random)
                data[place] = Bool.random(using: &random) ? 0xFF : UInt8.random(in: 0...255, using: &random)
            }
            guard let parts = self.read(data) else { continue }
            read += 1
            for part in parts.parts {
                #expect(part.place >= 0 && part.place + part.video.count <= data.count - 16)
                #expect(part.video.upperBound <= parts.byteCount)
            }
        }
        #expect(read > 0)
    }

    @Test func missingBytesAreNamedByTheError() {
        #expect(WebImageError.missingVideoBytes(70..<900).missingVideoBytes == 70..<900)
        #expect(WebImageError.badData("video parts", "the bytes 9-3 are missing").missingVideoBytes == nil)
        #expect(WebImageError.badData("video parts", "the bytes 9").missingVideoBytes == nil)
        #expect(WebImageError.badData("ffmpeg", "the bytes 3-9 are missing").missingVideoBytes == nil)
    }

    /// A reader that jumps and goes on in any way receives its bytes, each byte once, and no more than allowed.
    @Test func fetchesAreBounded() throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<60 {
            let byteCount = Int.random(in: 300_000...12_000_000, using: &random)
            let most = Int.random(in: 262_144...8_000_000, using: &random)
            let first = Data(count: min(FetchedParts.firstBytes, byteCount))
            var parts = FetchedParts(start: first, byteCount: byteCount, mostBytes: most)
            var place = 0
            for _ in 0..<60 {
                place =
                    Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0..<byteCount, using: &random) : place
                if parts.isWhole { break }
                let data = try #require(read(parts.joined(isFinal: false)))
                while let here = data.place(of: place) { place += here.count }
                guard place < byteCount else { continue }
                guard let range = parts.next(for: place..<place + 32_768) else {
                    #expect(parts.fetchedBytes + FetchedParts.firstBytes > most || parts.fetchedBytes >= most - 65_536)
                    break
                }
                #expect(range.contains(place) && range.upperBound <= byteCount && range.count <= 1 << 20)
                #expect(
                    stride(from: range.lowerBound, to: range.upperBound, by: 4096).allSatisfy {
                        data.place(of: $0) == nil
                    })
                parts.add(Data(count: range.count), at: range.lowerBound)
                #expect(parts.fetchedBytes <= most)
            }
        }
    }

    /// A decoder that a video has taken over can name any bytes.
    @Test func bytesThatAreHereAreNotFetchedAgain() {
        let parts = FetchedParts(start: Data(count: 1000), byteCount: 5000, mostBytes: 1 << 20)
        #expect(parts.next(for: 0..<10) == nil && parts.next(for: 999..<2000) == nil)
        #expect(parts.next(for: 5000..<5001) == nil && parts.next(for: 1 << 60..<1 << 61) == nil)
        #expect(parts.next(for: 1000..<1 << 61) == 1000..<5000)
        #expect(parts.next(for: 2000..<2001) == 1000..<5000)
    }
}
