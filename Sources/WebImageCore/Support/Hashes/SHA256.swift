import Foundation

/// SHA-256 (FIPS 180-4) for short texts, such as a cache key of one to three 64-byte blocks. The package has its own
/// implementation, because Foundation on Linux has no cryptographic hash.
package enum SHA256 {
    /// Returns the first 128 bits of the digest of a text.
    package static func firstWords(of text: String) -> (UInt64, UInt64) {
        var text = text
        return text.withUTF8 { firstWords(of: UnsafeRawBufferPointer($0)) }
    }

    package static func firstWords(of bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        withDigest(of: bytes) { state in
            (UInt64(state[0]) << 32 | UInt64(state[1]), UInt64(state[2]) << 32 | UInt64(state[3]))
        }
    }

    /// Returns the first 128 bits of the digest of a text as 32 hexadecimal digits.
    package static func shortName(of text: String) -> String {
        let (high, low) = firstWords(of: text)
        return String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<16 {
                digits[index] = digit(high &>> UInt64(60 &- 4 &* index))
                digits[index &+ 16] = digit(low &>> UInt64(60 &- 4 &* index))
            }
            return 32
        }
    }

    /// The hexadecimal digit of the lowest four bits.
    private static func digit(_ word: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: word & 15)
        return value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ value &- 10
    }

    /// Returns the eight words of the digest.
    package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt32] { withDigest(of: bytes) { Array($0) } }

    private static func withDigest<Result>(
        of bytes: UnsafeRawBufferPointer, _ body: (UnsafeMutableBufferPointer<UInt32>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8) { state in
            _ = state.initialize(fromContentsOf: start)
            digest(bytes, state.baseAddress!)
            return body(state)
        }
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer, _ state: UnsafeMutablePointer<UInt32>) {
        let blocks = (bytes.count + 9 + 63) / 64
        withUnsafeTemporaryAllocation(byteCount: blocks * 64, alignment: 4) { padded in
            padded.initializeMemory(as: UInt8.self, repeating: 0)
            padded.copyMemory(from: bytes)
            padded[bytes.count] = 0x80
            padded.storeBytes(
                of: (UInt64(bytes.count) &* 8).bigEndian, toByteOffset: blocks * 64 - 8, as: UInt64.self)
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                constants.withUnsafeBufferPointer { constants in
                    for block in 0..<blocks {
                        compress(
                            padded.baseAddress! + block * 64, state: state, schedule: schedule.baseAddress!,
                            constants: constants.baseAddress!)
                    }
                }
            }
        }
    }

    // The function uses masking shifts, wrapping sums, raw pointers and `while`, because each of these compiles to only
    // a few instructions in a debug build.
    private static func compress(
        _ block: UnsafeRawPointer, state: UnsafeMutablePointer<UInt32>, schedule w: UnsafeMutablePointer<UInt32>,
        constants k: UnsafePointer<UInt32>
    ) {
        var i = 0
        while i < 16 {
            w[i] = block.load(fromByteOffset: i &* 4, as: UInt32.self).bigEndian
            i &+= 1
        }
        while i < 64 {
            let x = w[i &- 15]
            let y = w[i &- 2]
            let s0 = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ (x &>> 3)
            let s1 = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ (y &>> 10)
            w[i] = w[i &- 16] &+ s0 &+ w[i &- 7] &+ s1
            i &+= 1
        }
        var a = state[0]
        var b = state[1]
        var c = state[2]
        var d = state[3]
        var e = state[4]
        var f = state[5]
        var g = state[6]
        var h = state[7]
        i = 0
        while i < 64 {
            let s1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
            let choice = (e & f) ^ (~e & g)
            let t1 = h &+ s1 &+ choice &+ k[i] &+ w[i]
            let s0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            h = g
            g = f
            f = e
            e = d &+ t1
            d = c
            c = b
            b = a
            a = t1 &+ s0 &+ majority
            i &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static let start: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

/// Hashes text with a key of this machine and user, so that the hash neither reveals the text nor can be guessed by the
/// author of a URL. All processes of one user on one machine make equal hashes.
package enum MachineKey {
    private static let key =
        ((try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? "") + "/\(getuid())"

    /// Returns the hash of a list of texts.
    package static func hash(_ parts: [String]) -> String { SHA256.shortName(of: ([key] + parts).joinedWithLengths()) }
}
