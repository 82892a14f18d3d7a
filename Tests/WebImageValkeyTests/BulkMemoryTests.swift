import Foundation
import Testing
import WebImageTesting

@testable import WebImageValkey

@Suite struct BulkMemoryTests {
    private func address(_ data: Data) -> UnsafeRawPointer? { data.withUnsafeBytes { $0.baseAddress } }

    private func string(_ parser: inout RESPParser, size: Int, byte: UInt8) throws -> Data? {
        let stream = Data("$\(size)\r\n".utf8) + Data(repeating: byte, count: size) + Data("\r\n".utf8)
        var rest = stream[...]
        while !rest.isEmpty { rest = rest.dropFirst(parser.append(rest)) }
        return try parser.next()?.data
    }

    @Test(arguments: [20_000, 200_000])
    func memoryOfAReleasedStringIsUsedAgainAndThatOfAHeldOneIsNot(size: Int) throws {
        var parser = RESPParser()
        var first = try string(&parser, size: size, byte: 1)
        let place = first.flatMap(address)
        let second = try #require(try string(&parser, size: size, byte: 2))
        #expect(address(second) != place)
        first = nil
        // The size may differ a little.
        let third = try #require(try string(&parser, size: size + 100, byte: 3))
        #expect(address(third) == place)
        #expect(second == Data(repeating: 2, count: size) && third == Data(repeating: 3, count: size + 100))
    }

    @Test func stringOutlivesItsConnection() throws {
        var strings: [Data] = []
        for number in 0..<20 {
            var parser = RESPParser()
            for size in [0, 1, 14, 15, 5000, 40_000, 300_000] {
                strings.append(try #require(try string(&parser, size: size, byte: UInt8(number))))
            }
        }
        for (index, string) in strings.enumerated() {
            #expect(string.allSatisfy { $0 == UInt8(index / 7) })
        }
    }

    @Test func unusedMemoryIsBounded() throws {
        let memory = BulkMemory()
        var random = SeededRandom.printingSeed()
        for _ in 0..<20 {
            let sizes = (0..<300).map { _ in Int.random(in: 1...200_000, using: &random) }
            let places = try sizes.map { try #require(memory.memory(for: $0)) }
            for (size, place) in zip(sizes, places) {
                memory.release(place, of: size)
                #expect(memory.byteCount <= BulkMemory.most)
            }
        }
    }
}
