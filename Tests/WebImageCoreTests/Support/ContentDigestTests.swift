import Foundation
import Testing

@testable import WebImageCore

/// Digests are stored on disk, so their values must never change.
struct ContentDigestTests {
    @Test(
        arguments: [
            (0, 0x4AA4D87ECB899E6E, 0x31C050A9DFFFD721),
            (1, 0x105BF9C525C9CADC, 0xBDE1A4DA569206FA),
            (8, 0x05A41640A4FFF974, 0x496DEEC56BE4F24A),
            (15, 0x88718C5438601938, 0xC61F7E39509F80DE),
            (16, 0xD78806E0BB5ED9AB, 0x7A6BBBC70B19E439),
            (17, 0x9D5C5FE08EF4B00D, 0xCFC10A0B69718223),
            (8191, 0x5406783D8CCD4436, 0x0CBE593CD187A0C1),
            (8192, 0xA22A7FD82C3F9E0C, 0x14F745662BA64339),
            (8193, 0xFC81661D1E8866F3, 0x9E989F5CE7D7ADBB),
            (16385, 0xD9B488C53EB5FC9F, 0xE8087BA068B5AE9D),
            (100000, 0xA0D7127B61BFFEF5, 0x28D373EFFA7F50E3),
        ] as [(Int, UInt64, UInt64)])
    func theDigestOfABodyIsTheStoredOne(count: Int, high: UInt64, low: UInt64) {
        // The bytes before the body change the address and the alignment of the body.
        for offset in 0..<3 {
            let body = Data((-offset..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) })[offset...]
            #expect(ContentDigest(Data(body)).data == TwoWords.data(high, low))
            #expect(ContentDigest(body).data == TwoWords.data(high, low))
        }
    }
}
