import Foundation
import Testing

@testable import WebImageCore

/// Memory for pixels that a decoder process shares with its host.
struct PixelArenaTests {
    private static func arena(_ byteCount: Int) -> PixelArena {
        PixelArena(start: .allocate(byteCount: byteCount, alignment: PixelBuffer.alignment), byteCount: byteCount)
    }

    @Test func blocksUseTheFirstPlaceThatIsLargeEnough() throws {
        let arena = Self.arena(1024)
        let blocks = try (0..<4).map { _ in try #require(arena.allocate(200)) }
        #expect((1..<4).allSatisfy { blocks[$0] - blocks[0] == 256 * $0 })
        #expect(arena.allocate(1) == nil)
        arena.free(blocks[1])
        arena.free(blocks[2])
        #expect(arena.allocate(513) == nil)
        let large = try #require(arena.allocate(257))
        #expect(large == blocks[1])
        #expect(arena.allocate(192) == large + 320)
        #expect(arena.allocate(1) == nil)
    }

    @Test func unusedPartsAreThoseBetweenTheBlocks() throws {
        let arena = Self.arena(1024)
        let blocks = try (0..<4).map { _ in try #require(arena.allocate(128)) }
        arena.free(blocks[0])
        arena.free(blocks[2])
        var parts: [Range<Int>] = []
        arena.withUnusedParts { part in
            let start = part.baseAddress! - blocks[0]
            parts.append(start..<start + part.count)
        }
        #expect(parts == [0..<128, 256..<384, 512..<1024])
    }

    @Test func buffersUseTheInstalledArenaAsLongAsItHasRoom() async {
        await #expect(processExitsWith: .success) {
            let arena = Self.arena(1 << 20)
            arena.install()
            func buffer(_ height: Int) throws -> PixelBuffer {
                try PixelBuffer(width: 256, height: height, format: .bgra8Premultiplied)
            }
            var first: PixelBuffer? = try buffer(512)
            let second = try buffer(512)
            precondition(first.flatMap(arena.offset) == 0 && arena.offset(of: second) == 512 << 10)
            let fourth = try buffer(512)
            precondition(arena.offset(of: fourth) == nil, "no room")
            first = nil
            let third = try buffer(256)
            precondition(arena.offset(of: third) == 0)
            let rows = try buffer(15)
            precondition(arena.offset(of: rows) == nil, "rows stay on the heap")
            third.withUnsafeMutableBytes { for index in $0.indices { $0[index] = 1 } }
        }
    }

    @Test func otherProcessesHaveNoArena() throws {
        let arena = Self.arena(1 << 20)
        #expect(try arena.offset(of: PixelBuffer(width: 256, height: 256, format: .rgba8)) == nil)
        #expect(PixelArena.installed(for: 1 << 20) == nil)
    }
}
