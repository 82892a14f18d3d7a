import Foundation

/// Splits an APNG into one PNG file per frame, because libpng does not read animations.
enum APNGStills {
    static func split(_ file: NSData) -> [Data] {
        let data = [UInt8](file as Data)
        func number(_ place: Int) -> Int {
            data[place..<place + 4].reduce(0) { (sum: Int, byte: UInt8) -> Int in sum << 8 | Int(byte) }
        }
        var (place, head, shared) = (8, [UInt8](), [UInt8]())
        var (stills, current): ([Data], [UInt8]?) = ([], nil)
        func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
            let named = Array(type.utf8) + body
            return bigEndian(body.count) + named + bigEndian(Int(crc(named)))
        }
        func end() {
            guard let current else { return }
            var still = Data(data[..<8])
            for part in [head, shared, current, chunk("IEND", [])] { still.append(contentsOf: part) }
            stills.append(still)
        }
        while place + 12 <= data.count {
            let length = number(place)
            let type = String(decoding: data[place + 4..<place + 8], as: UTF8.self)
            let body = Array(data[place + 8..<place + 8 + length])
            switch type {
            case "IHDR": head = chunk("IHDR", body)
            case "PLTE", "tRNS": shared += chunk(type, body)
            case "fcTL":
                end()
                current = []
                // Build the IHDR chunk of the frame. The size comes from the fcTL chunk of the frame. The bit
                // depth, colour type, compression, filter and interlace method come from the IHDR of the file.
                head = chunk("IHDR", Array(body[4..<12]) + Array(head[16..<21]))
            case "IDAT": current? += chunk("IDAT", body)
            case "fdAT": current? += chunk("IDAT", Array(body.dropFirst(4)))
            default: break
            }
            place += 12 + length
        }
        end()
        return stills
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { (shift: Int) -> UInt8 in UInt8(value >> shift & 255) }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
