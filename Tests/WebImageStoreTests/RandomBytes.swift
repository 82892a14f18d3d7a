import Foundation

/// Returns `count` bytes that depend only on `seed`. The bytes are random, so compression does not make them smaller.
func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    var data = Data(count: count)
    data.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
        for index in stride(from: 0, to: count, by: 8) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            if index + 8 <= count {
                buffer.storeBytes(of: state, toByteOffset: index, as: UInt64.self)
            } else {
                withUnsafeBytes(of: state) { word in
                    for offset in 0..<count - index { buffer[index + offset] = word[offset] }
                }
            }
        }
    }
    return data
}
