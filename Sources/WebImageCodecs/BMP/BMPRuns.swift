import Foundation
import WebImageCore

/// Decodes run-length encoded indices of eight or four bits (MS-WMF §3.1.6).
///
/// Pixels that no run draws are transparent, as in browsers. In a truncated stream, all pixels after its end are
/// transparent. A run that is longer than its row is cut at the end of the row.
struct BMPRuns {
    let header: BMPHeader
    let bytes: UnsafeRawBufferPointer
    let deadline: DecodeDeadline

    /// Writes the palette indices to `indices`. Returns nil if every pixel was drawn. Otherwise returns an alpha plane
    /// with 255 for drawn pixels and 0 for other pixels.
    func decode(into indices: PixelBuffer) throws(WebImageError) -> PixelBuffer? {
        let drawn = try PixelBuffer(width: indices.width, height: indices.height, format: .gray8)
        memset(indices.baseAddress, 0, indices.byteCount)
        memset(drawn.baseAddress, 0, drawn.byteCount)
        guard header.pixels >= 0, header.pixels < bytes.count else { throw BMPHeader.cutOff }
        var state = State(header: header, indices: indices, drawn: drawn)
        var offset = header.pixels
        var step = 0
        while state.y < header.size.height, let count = bytes.byte(at: offset), let value = bytes.byte(at: offset + 1) {
            step += 1
            if step % 4096 == 0 { try deadline.check() }
            offset += 2
            if count > 0 {
                state.run(Int(count), value)
                continue
            }
            switch value {
            case 0: state.endLine()
            case 1: return state.isComplete ? nil : drawn
            case 2:
                guard let right = bytes.byte(at: offset), let down = bytes.byte(at: offset + 1) else { break }
                offset += 2
                state.move(right: Int(right), down: Int(down))
            default:
                let pixels = Int(value)
                let length = header.packing == .runs8 ? pixels : (pixels + 1) / 2
                // If the file ends inside a literal run, draw the available part of the run.
                let available = max(0, min(length, bytes.count - offset))
                let shown = min(pixels, header.packing == .runs8 ? available : available * 2)
                state.literal(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + available]), shown)
                offset += length + length % 2
            }
        }
        return state.isComplete ? nil : drawn
    }

    /// The position of the next pixel. The methods are the operations of the run-length stream: they draw pixels or
    /// move the position.
    private struct State {
        let header: BMPHeader
        let indices: PixelBuffer
        let drawn: PixelBuffer
        var x = 0
        var y = 0
        var drawnCount = 0

        init(header: BMPHeader, indices: PixelBuffer, drawn: PixelBuffer) {
            self.header = header
            self.indices = indices
            self.drawn = drawn
        }

        /// Whether every pixel was certainly drawn, so that no alpha plane is needed. After the stream has moved the
        /// position, the value is always false, even if every pixel was drawn. An unneeded alpha plane costs time but
        /// does not change the result.
        var isComplete: Bool { drawnCount == header.size.pixelCount && !hasMoved }
        private var hasMoved = false

        mutating func endLine() {
            if x < header.size.width { hasMoved = true }
            x = 0
            y += 1
        }

        mutating func move(right: Int, down: Int) {
            hasMoved = true
            x += right
            y += down
        }

        private func start(_ plane: PixelBuffer) -> UnsafeMutablePointer<UInt8> {
            let row = header.isTopDown ? y : header.size.height - 1 - y
            return (plane.baseAddress + row * plane.bytesPerRow + x).assumingMemoryBound(to: UInt8.self)
        }

        private mutating func take(_ count: Int) -> Int {
            guard y < header.size.height, x < header.size.width else { return 0 }
            let fitting = min(count, header.size.width - x)
            memset(start(drawn), 255, fitting)
            drawnCount += fitting
            return fitting
        }

        mutating func run(_ count: Int, _ value: UInt8) {
            let fitting = take(count)
            guard fitting > 0 else { return }
            let target = start(indices)
            if header.packing == .runs8 {
                memset(target, Int32(value), fitting)
            } else {
                for index in 0..<fitting { target[index] = index & 1 == 0 ? value >> 4 : value & 15 }
            }
            x += fitting
        }

        mutating func literal(_ source: UnsafeRawBufferPointer, _ count: Int) {
            let fitting = take(count)
            guard fitting > 0, let base = source.baseAddress else { return }
            let target = start(indices)
            if header.packing == .runs8 {
                memcpy(target, base, fitting)
            } else {
                for index in 0..<fitting {
                    target[index] = index & 1 == 0 ? source[index / 2] >> 4 : source[index / 2] & 15
                }
            }
            x += fitting
        }
    }
}
