import Foundation

/// MD5 (RFC 1321) for short texts. Used only for file names that other programs define. No security depends on
/// this hash.
package enum MD5 {
    package static func hex(of text: some Sequence<UInt8>) -> String {
        var bytes = Array(text)
        let bits = UInt64(bytes.count) &* 8
        bytes.append(0x80)
        while bytes.count % 64 != 56 { bytes.append(0) }
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        for start in stride(from: 0, to: bytes.count, by: 64) { compress(bytes[start..<start + 64], &state) }
        return [state.0, state.1, state.2, state.3].map { word in
            withUnsafeBytes(of: word.littleEndian) { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        }.joined()
    }

    private static func compress(_ block: ArraySlice<UInt8>, _ state: inout (UInt32, UInt32, UInt32, UInt32)) {
        let words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            (0..<4).reduce(UInt32(0)) { (word: UInt32, byte: Int) -> UInt32 in
                word | UInt32(block[index + byte]) << UInt32(8 * byte)
            }
        }
        var (a, b, c, d) = state
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mixed, word) = ((b & c) | (~b & d), step)
            case 1: (mixed, word) = ((d & b) | (~d & c), (5 * step + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), (7 * step) % 16)
            }
            let sum: UInt32 = a &+ mixed &+ sines[step] &+ words[word]
            let turn: UInt32 = turns[step / 16][step % 4]
            let turned: UInt32 = sum << turn | sum >> (32 - turn)
            (a, d, c, b) = (d, c, b, b &+ turned)
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
    }

    private static let turns: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    /// The integer parts of 2³² × |sin(i)| for i = 1 … 64, in radians.
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
