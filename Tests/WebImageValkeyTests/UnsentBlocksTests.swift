import Foundation
import Testing
import WebImageTesting

@testable import WebImageValkey

@Suite struct UnsentBlocksTests {
    /// Whatever is appended and however much of it is sent each time, the bytes leave in order and once.
    @Test func bytesLeaveInOrder() {
        var random = SeededRandom.printingSeed()
        for _ in 0..<200 {
            var (unsent, expected, sent) = (UnsentBlocks(), Data(), Data())
            for _ in 0..<60 {
                let added = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Data(
                        repeating: .random(in: .min ... .max, using: &random),
                        count: [0, 1, 30, 4095, 4096, 20_000].randomElement(using: &random) ?? 0)
                }
                unsent.append(added)
                expected += added.reduce(Data(), +)
                let offered = unsent.withFirst { parts in parts.reduce(Data()) { $0 + Data($1) } }
                #expect(expected.dropFirst(sent.count).starts(with: offered))
                guard !offered.isEmpty else { continue }
                let count =
                    Bool.random(using: &random) ? offered.count : Int.random(in: 1...offered.count, using: &random)
                sent += offered.prefix(count)
                unsent.removeFirst(count)
            }
            while !unsent.isEmpty {
                let offered = unsent.withFirst { parts in parts.reduce(Data()) { $0 + Data($1) } }
                sent += offered
                unsent.removeFirst(offered.count)
            }
            #expect(sent == expected)
        }
    }

    /// TLS repeats a write that was not possible from the same memory only.
    @Test(arguments: [1, 14, 200, 4000]) func firstBlockStaysAtItsPlaceWhileItsWriteIsRepeated(count: Int) {
        var unsent = UnsentBlocks()
        unsent.append([Data(repeating: 1, count: count)])
        let before = unsent.withFirst { Int(bitPattern: $0[0].baseAddress) }
        unsent.holdFirst()
        for _ in 0..<100 { unsent.append([Data(repeating: 2, count: 300)]) }
        let (after, length) = unsent.withFirst { (Int(bitPattern: $0[0].baseAddress), $0[0].count) }
        #expect(after == before && length == count)
        unsent.removeFirst(count)
        unsent.append([Data(repeating: 3, count: 10)])
        #expect(unsent.withFirst { $0.map(\.count) } == [30_010])
    }

    @Test func shortCommandsNeedOneBlockAndLongOnesAreNotCopied() {
        var unsent = UnsentBlocks()
        for number in 0..<1000 { unsent.append(RESPCommand(["GET", .init(number)]).blocks) }
        #expect(unsent.withFirst { $0.count } == 1)
        let picture = Data(repeating: 7, count: 20_000)
        unsent.append(RESPCommand(["SET", "k", .init(picture)]).blocks)
        unsent.append(RESPCommand(["GET", "k"]).blocks)
        unsent.withFirst { parts in
            #expect(parts.count == 3)
            let isOwn = picture.withUnsafeBytes { own in parts.contains { $0.baseAddress == own.baseAddress } }
            #expect(isOwn)
        }
    }
}
