import Foundation
import Testing
import WebImageCore
import WebImageHEIF
import WebImageTestSupport
import WebImageTestTraits

/// HEIF files whose boxes declare smaller sizes than their coded images have. The limits apply to the coded images.
@Suite(.timeLimit(minutes: 2))
struct HEIFSizeTests {
    /// A grey image of 256 × 192 px, written by libheif 1.15 with x265.
    static let large = sample(
        """
        AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAATttZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA
        AAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFfAAEAAAAAAAAAWAAAACNpaW5mAAAAAAABAAAAFWluZmUC
        AAAAAAEAAGh2YzEAAAAAu2lwcnAAAACdaXBjbwAAAHNodmNDAQQIAAAAAAAAAAAAPPAA/Pz4+AAADwMgAAEAF0ABDAH//wQI
        AAADAJ/4AAADAAA8ugJAIQABACdCAQEECAAAAwCf+AAAAwAAPMAgIDBZbqSSmubAgAAAAwCAAAADAIQiAAEAB0QBwXKwYkAA
        AAAUaXNwZQAAAAAAAAEAAAAAwAAAAA5waXhpAAAAAAEIAAAAFmlwbWEAAAAAAAAAAQABA4ECgwAAAGBtZGF0AAAAVCgBribL
        zEDEf5XOxoDu1QfQFCxvZgOfDhcH9SitLeCK9FB5WVUJj6oYXdhmWuOvnmkVzRlm9H6xjQRAxoBkN/ahG81q5N8QBIUkPkfx
        KqYGUINNQA==
        """)
    /// A grey image of 64 × 64 px, written by libheif 1.15 with x265.
    static let small = sample(
        """
        AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAATptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA
        AAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFeAAEAAAAAAAAAHwAAACNpaW5mAAAAAAABAAAAFWluZmUC
        AAAAAAEAAGh2YzEAAAAAumlwcnAAAACcaXBjbwAAAHJodmNDAQQIAAAAAAAAAAAAHvAA/Pz4+AAADwMgAAEAF0ABDAH//wQI
        AAADAJ/4AAADAAAeugJAIQABACZCAQEECAAAAwCf+AAAAwAAHsCCBBZbqSSmubAgAAADACAAAAMAISIAAQAHRAHBcrAiQAAA
        ABRpc3BlAAAAAAAAAEAAAABAAAAADnBpeGkAAAAAAQgAAAAWaXBtYQAAAAAAAAABAAEDgQKDAAAAJ21kYXQAAAAbKAGuJ8R/
        lc7GgO7VB9AULG9mA58OFwf1KOuA
        """)

    private static func sample(_ text: String) -> HEIFBytes.Coded {
        HEIFBytes.coded(in: Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
            ?? HEIFBytes.Coded(configuration: [], data: [])
    }

    private static func item(
        _ number: Int, _ coded: HEIFBytes.Coded, width: Int = 64, height: Int = 64,
        references: (type: String, to: [Int])? = nil
    ) -> HEIFBytes.Item {
        HEIFBytes.Item(
            number: number, type: "hvc1", data: coded.data, size: (width, height), configuration: coded.configuration,
            references: references)
    }

    /// A file whose data is in `idat` instead of `mdat`.
    private static func inItemData(_ item: HEIFBytes.Item) -> HEIFBytes {
        var boxes = HEIFBytes(items: [item])
        boxes.usesItemData = true
        return boxes
    }

    private static func grid(
        rows: Int = 1, columns: Int = 1, width: Int = 64, height: Int = 64, said: (Int, Int) = (64, 64), to: [Int]
    ) -> HEIFBytes.Item {
        HEIFBytes.Item(
            number: 1, type: "grid", data: HEIFBytes.grid(rows: rows, columns: columns, width: width, height: height),
            size: said, configuration: nil, references: ("dimg", to))
    }

    /// Limits that allow 64 × 64 pixels. `large` has twelve times as many pixels.
    private let limits = DecodingLimits(maxPixels: 64 * 64)

    private func decode(_ file: HEIFBytes, _ limits: DecodingLimits) throws(WebImageError) -> Image {
        var options = DecodingOptions()
        options.limits = limits
        return try ImageHEICCoder.shared.decode(file.file, options: options)
    }

    private func limit(_ file: HEIFBytes) -> DecodingLimits.Limit? {
        do throws(WebImageError) {
            _ = try decode(file, limits)
            return nil
        } catch {
            if case .limit(let limit, _, _) = error.underlying { return limit }
            return nil
        }
    }

    @Test func pictureLargerThanItsDeclaredSizeThrowsALimit() {
        let file = HEIFBytes(items: [Self.item(1, Self.large)])
        #expect(limit(file) == .pixels)
        #expect(throws: WebImageError.self) { try ImageHEICCoder.shared.imageInfo(of: file.file, limits: limits) }
        // If the limit is sufficient, the file is still invalid, because its box declares a wrong size.
        let error = #expect(throws: WebImageError.self) { try decode(file, .default) }
        #expect(error?.code == .badImageData)
    }

    @Test func sizeInsideTheDataCountsForTheLimit() throws {
        var coded = Self.small
        coded.data = try #require(HEIFBytes.parameterSet(of: Self.large.configuration)) + coded.data
        #expect(limit(HEIFBytes(items: [Self.item(1, coded)])) == .pixels)
        #expect(limit(Self.inItemData(Self.item(1, coded))) == .pixels)
    }

    @Test func tilesAndCanvasesCountForTheLimit() {
        #expect(limit(HEIFBytes(items: [Self.grid(to: [2]), Self.item(2, Self.large)])) == .pixels)
        let wide = Self.grid(rows: 4, columns: 4, width: 256, height: 256, to: Array(repeating: 2, count: 16))
        #expect(limit(HEIFBytes(items: [wide, Self.item(2, Self.small)])) == .pixels)
        // The four tiles together are within the budget for tiles. The canvas that they fill exceeds the limit.
        let row = Self.grid(rows: 1, columns: 4, width: 256, height: 64, to: Array(repeating: 2, count: 4))
        #expect(limit(HEIFBytes(items: [row, Self.item(2, Self.small)])) == .pixels)
        // The canvas is within the limit, but the 256 tiles together exceed the budget for tiles.
        let many = Self.grid(rows: 16, columns: 16, to: Array(repeating: 2, count: 256))
        #expect(limit(HEIFBytes(items: [many, Self.item(2, Self.small)])) == .pixels)
    }

    @Test func alphaPlaneCountsForTheLimit() {
        let file = HEIFBytes(items: [
            Self.item(1, Self.small), Self.item(2, Self.large, references: ("auxl", [1])),
        ])
        #expect(limit(file) == .pixels)
    }

    /// The sides in a sequence parameter set are Exp-Golomb numbers (H.265 §9.2). The arguments are their numbers of
    /// leading zero bits. A number with more than 32 leading zero bits is invalid.
    @Test(arguments: [
        (32, 32), (32, 31), (31, 32), (33, 33), (64, 1), (0, 32),
    ]) func sidesOfAnySizeThrowALimit(widthZeros: Int, heightZeros: Int) {
        // The bits contain, in this order: the unit type (33), the number of sub-layers (0), the profile and level (97
        // bits), the number of the set, and the colour format.
        var bits = "0100001000000001" + "0000000" + String(repeating: "1", count: 97) + "1" + "1"
        for zeros in [widthZeros, heightZeros] {
            bits += String(repeating: "0", count: zeros) + String(repeating: "1", count: zeros + 1)
        }
        bits += String(repeating: "1", count: 8 - bits.count % 8)
        let unit = stride(from: 0, to: bits.count, by: 8).map { place in
            UInt8(bits.dropFirst(place).prefix(8), radix: 2) ?? 0
        }
        let configuration = Array(Self.small.configuration.prefix(22)) + [1, 33, 0, 1, 0, UInt8(unit.count)] + unit
        let file = HEIFBytes(items: [Self.item(1, HEIFBytes.Coded(configuration: configuration, data: []))])
        for limits in [limits, DecodingLimits(maxPixels: .max)] {
            let error = #expect(throws: WebImageError.self) { try decode(file, limits) }
            #expect(error?.code == .limitExceeded || error?.code == .badImageData)
        }
        if widthZeros == heightZeros, widthZeros == 32 { #expect(limit(file) == .pixels) }
    }

    // Upright photos of Sony's cameras have the rotation before the size. libheif 1.15 then names the size before the turn.
    @Test(arguments: [false, true], 0...3)
    func aTurnExchangesTheSidesWhereverItIsWritten(isFirst: Bool, turns: Int) throws {
        var item = Self.item(1, Self.large, width: 256, height: 192)
        (item.turns, item.turnsFirst) = (turns, isFirst)
        let data = HEIFBytes(items: [item]).file
        let size = turns & 1 == 0 ? PixelSize(width: 256, height: 192) : PixelSize(width: 192, height: 256)
        #expect(try ImageHEICCoder.shared.imageInfo(of: data, limits: .default).pixelSize == size)
        #expect(try ImageHEICCoder.shared.decode(data, options: DecodingOptions()).pixelSize == size)
    }

    @Test func unreadableDataIsRefused() {
        var other = Self.item(1, Self.small)
        other.type = "av01"
        var unsized = Self.item(1, Self.small)
        unsized.configuration = Array(Self.small.configuration.prefix(22)) + [0]
        let itself = Self.grid(to: [2])
        let back = HEIFBytes.Item(
            number: 2, type: "grid", data: itself.data, size: (64, 64), configuration: nil, references: ("dimg", [1]))
        for items in [[other], [unsized], [itself, back], [Self.grid(to: [7])]] {
            let error = #expect(throws: WebImageError.self) { try decode(HEIFBytes(items: items), .default) }
            #expect(error?.code == .badImageData)
        }
    }

    @Test func sizesWithinTheLimitAreDecoded() throws {
        let size = PixelSize(width: 64, height: 64)
        #expect(try decode(HEIFBytes(items: [Self.item(1, Self.small)]), limits).pixelSize == size)
        #expect(try decode(Self.inItemData(Self.item(1, Self.small)), limits).pixelSize == size)
        #expect(try decode(HEIFBytes(items: [Self.grid(to: [2]), Self.item(2, Self.small)]), limits).pixelSize == size)
    }

    @Test func aFileCutOffAnywhereIsATypedError() {
        let file = HEIFBytes(items: [Self.grid(to: [2]), Self.item(2, Self.small)]).file
        var options = DecodingOptions()
        options.limits = limits
        for length in 0..<file.count {
            do throws(WebImageError) {
                _ = try ImageHEICCoder.shared.decode(file.prefix(length), options: options)
            } catch { #expect(error.code == .badImageData || error.code == .limitExceeded) }
        }
    }

    @Test func aFlippedByteIsAPictureOrATypedError() {
        let file = HEIFBytes(items: [Self.grid(to: [2]), Self.item(2, Self.small)]).file
        var options = DecodingOptions()
        options.limits = limits
        for place in file.indices {
            for value in [UInt8(0), 0x7F, 0xFF, file[place] ^ 1] {
                var data = file
                data[place] = value
                do throws(WebImageError) {
                    let image = try ImageHEICCoder.shared.decode(data, options: options)
                    #expect(image.pixelSize.pixelCount <= limits.maxPixels)
                } catch { #expect(error.code == .badImageData || error.code == .limitExceeded) }
            }
        }
    }
}
