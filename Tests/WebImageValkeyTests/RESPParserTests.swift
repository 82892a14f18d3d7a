import Foundation
import Testing
import WebImageTesting

@testable import WebImageValkey

@Suite struct RESPParserTests {
    /// Parses bytes that arrive in pieces of `piece` bytes.
    private func values(_ bytes: Data, piece: Int = .max, limits: RESPLimits = RESPLimits()) throws -> [RESPValue] {
        var parser = RESPParser(limits: limits)
        var values: [RESPValue] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let added = parser.append(rest.prefix(piece))
            rest = rest.dropFirst(added)
            while let value = try parser.next() { values.append(value) }
            try #require(added > 0, "the parser takes no more bytes")
        }
        return values
    }

    private func values(_ text: String, piece: Int = .max, limits: RESPLimits = RESPLimits()) throws -> [RESPValue] {
        try values(Data(text.utf8), piece: piece, limits: limits)
    }

    @Test(arguments: [1, 2, 3, 7, 1000]) func everyTypeIsReadAtEverySplit(piece: Int) throws {
        let text = """
            +OK\r\n-ERR no\r\n:-12\r\n$5\r\nhello\r\n$0\r\n\r\n$-1\r\n*-1\r\n_\r\n#t\r\n,1.5\r\n*0\r\n\
            *2\r\n:1\r\n*1\r\n+a\r\n%1\r\n+k\r\n:2\r\n~1\r\n:3\r\n>2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n+end\r\n
            """
        #expect(
            try values(text, piece: piece) == [
                .text("OK"), .error("ERR no"), .integer(-12), .bulk(Data("hello".utf8)), .bulk(Data()), .null, .null,
                .null, .integer(1), .text("1.5"), .array([]), .array([.integer(1), .array([.text("a")])]),
                .array([.text("k"), .integer(2)]), .array([.integer(3)]),
                .push([.text("invalidate"), .array([.bulk(Data("k".utf8))])]), .text("end"),
            ])
    }

    @Test func attributeIsIgnored() throws {
        #expect(try values("|1\r\n+ttl\r\n:3\r\n+value\r\n") == [.text("value")])
        #expect(try values("*2\r\n|1\r\n+ttl\r\n:3\r\n+a\r\n+b\r\n") == [.array([.text("a"), .text("b")])])
    }

    @Test(arguments: [1, 4093, 65536, 1 << 20]) func longBulkStringArrivesUnchanged(piece: Int) throws {
        let size = piece == 1 ? 5000 : 1_500_000
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let stream = Data("$\(size)\r\n".utf8) + body + Data("\r\n:7\r\n".utf8)
        #expect(try values(stream, piece: piece) == [.bulk(body), .integer(7)])
    }

    /// Short and long strings in turn, in pieces that hold many of them or end within them.
    @Test(arguments: [3000, 70_000, 1 << 20]) func manyStringsArriveUnchanged(piece: Int) throws {
        var random = SeededRandom.printingSeed()
        let bodies = (0..<60).map { _ in
            Data(repeating: .random(in: .min ... .max, using: &random), count: .random(in: 0...90_000, using: &random))
        }
        var stream = Data()
        for body in bodies { stream += Data("$\(body.count)\r\n".utf8) + body + Data("\r\n".utf8) }
        #expect(try values(stream, piece: piece) == bodies.map { .bulk($0) })
    }

    /// The end of a long string and the line behind it arrive together, and only the line is copied.
    @Test func longStringIsReceivedInItsOwnMemoryWithTheNextLine() throws {
        var parser = RESPParser()
        let head = Data("$200000\r\n".utf8)
        #expect(parser.append(head) == head.count)
        #expect(try parser.next() == nil)
        var spaces: [Int] = []
        parser.withSpace { first, second in
            spaces = [first.count, second.count]
            first.copyBytes(from: repeatElement(7, count: 200_000) + [13, 10])
            second.copyBytes(from: Data(":5\r\n".utf8))
            return first.count + 4
        }
        #expect(spaces == [200_002, 4096])
        #expect(try parser.next() == .bulk(Data(repeating: 7, count: 200_000)))
        #expect(try parser.next() == .integer(5))
        #expect(try parser.next() == nil)
    }

    @Test(arguments: [
        "?\r\n", "\r\n", "$2000000000\r\n", "$-2\r\n", "$abc\r\n", "*999999999\r\n", "%99999999\r\n", "$3\r\nabcde\r\n",
        ":123456789012345678901\r\n", "%-1\r\n", "*-2\r\n",
    ]) func malformedAnswerIsRefused(text: String) {
        #expect(throws: RESPViolation.self) { try values(text) }
    }

    @Test func limitsHold() {
        let nested = String(repeating: "*1\r\n", count: 9) + ":1\r\n"
        #expect(throws: RESPViolation.self) { try values(nested) }
        let endless = "+" + String(repeating: "a", count: 70_000)
        #expect(throws: RESPViolation.self) { try values(endless, piece: 1000) }
        var limits = RESPLimits()
        limits.values = 10
        let wide = "*4\r\n" + String(repeating: "*3\r\n:1\r\n:1\r\n:1\r\n", count: 4)
        #expect(throws: RESPViolation.self) { try values(wide, limits: limits) }
        // The limit is for one answer, not for the connection.
        #expect(throws: Never.self) { try values(String(repeating: ":1\r\n", count: 100), limits: limits) }
    }

    /// Random changes of valid streams give values or a violation, at every split, with equal results.
    @Test func mutatedStreamsNeverTrapAndSplitsDoNotMatter() throws {
        var random = SeededRandom.printingSeed()
        let sample = Data("*3\r\n$5\r\nhello\r\n:12\r\n%1\r\n+k\r\n$2\r\nab\r\n>2\r\n+x\r\n_\r\n$3\r\nabc\r\n".utf8)
        for _ in 0..<3000 {
            var bytes = sample + sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert("0123456789*$\r\n%>|".utf8.randomElement(using: &random) ?? 48, at: index)
                }
            }
            let whole = Result { try values(bytes) }
            let split = Result { try values(bytes, piece: Int.random(in: 1...9, using: &random)) }
            #expect((try? whole.get()) == (try? split.get()))
        }
    }
}

@Suite struct RESPCommandTests {
    private func bytes(_ command: RESPCommand) -> Data { command.blocks.reduce(Data(), +) }

    @Test func wordsAreEncodedWithTheirLengths() {
        let command = RESPCommand(["SET", "k", .init(Data("v\r\n".utf8)), "PX", .init(5)])
        #expect(bytes(command) == Data("*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\nv\r\n\r\n$2\r\nPX\r\n$1\r\n5\r\n".utf8))
        #expect(command.byteCount == bytes(command).count)
    }

    @Test func longWordIsABlockOfItsOwn() {
        let value = Data(repeating: 7, count: 100_000)
        let command = RESPCommand(["SET", "k", .init([Data([1, 2]), value])])
        #expect(command.blocks.contains(value))
        #expect(
            bytes(command) == Data("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100002\r\n".utf8) + Data([1, 2]) + value
                + Data([13, 10]))
    }
}
