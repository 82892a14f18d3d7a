import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageRaw
import WebImageTIFF
import WebImageTestSupport
import WebImageTesting

struct RawCoderTests {
    /// A picture whose four corners differ: its orientation can be seen. In linear light.
    private static func corners(_ x: Int, _ y: Int, _ size: PixelSize) -> (Double, Double, Double) {
        switch (x * 2 < size.width, y * 2 < size.height) {
        case (true, true): (0.8, 0.05, 0.05)
        case (false, true): (0.05, 0.8, 0.05)
        case (true, false): (0.05, 0.05, 0.8)
        default: (0.6, 0.6, 0.6)
        }
    }

    private static let size = PixelSize(width: 240, height: 160)

    private static func file(orientation: Int = 1, preview: PixelSize? = nil) throws -> DNGFile {
        var file = DNGFile(width: size.width, height: size.height) { x, y in corners(x, y, size) }
        file.orientation = orientation
        guard let preview else { return file }
        let image = try Image.generated(width: preview.width, height: preview.height) { x, y in
            let light = corners(x, y, preview)
            func byte(_ value: Double) -> UInt8 { UInt8(min((1.055 * pow(value, 1 / 2.4) - 0.055) * 255, 255)) }
            return (byte(light.2), byte(light.1), byte(light.0), 255)
        }
        let jpeg = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: EncodingOptions())
        // The preview says that it is upside down, and the raw file is right: EXIF of one field, the orientation 3.
        let exif = Data("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
        file.preview = jpeg.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + jpeg.dropFirst(2)
        return file
    }

    /// The corner of the picture that has the largest red, the largest green and the largest blue.
    private static func layout(_ pixels: PixelBuffer) -> [String] {
        let names = ["top left", "top right", "bottom left", "bottom right"]
        let places = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)].map {
            (Int($0.0 * Double(pixels.width)), Int($0.1 * Double(pixels.height)))
        }
        let colors = places.map { x, y in
            pixels.withUnsafeBytes { bytes in (0..<3).map { Int(bytes[y * pixels.bytesPerRow + x * 4 + $0]) } }
        }
        return (0..<3).map { channel in
            let purity = colors.map { color in color[channel] * 2 - color.reduce(0, +) + color[channel] }
            return names[purity.firstIndex(of: purity.max()!)!]
        }
    }

    private static let layouts: [Int: [String]] = [
        1: ["top left", "top right", "bottom left"], 2: ["top right", "top left", "bottom right"],
        3: ["bottom right", "bottom left", "top right"], 4: ["bottom left", "bottom right", "top left"],
        5: ["top left", "bottom left", "top right"], 6: ["top right", "bottom right", "top left"],
        7: ["bottom right", "top right", "bottom left"], 8: ["bottom left", "top left", "bottom right"],
    ]

    /// The developed picture, and one from the preview, are upright by the orientation of the raw file.
    @Test(arguments: 1...8) func picturesAreUpright(orientation: Int) throws {
        let data = try Self.file(orientation: orientation, preview: PixelSize(width: 120, height: 80)).data
        let swaps = orientation > 4
        for box in [nil, 200, 60] {
            let pixels = try Self.decode(data, box)
            let longer = box ?? 240
            let expected = PixelSize(width: longer, height: longer * 2 / 3)
            #expect(
                abs(pixels.width - (swaps ? expected.height : expected.width)) <= 1
                    && abs(pixels.height - (swaps ? expected.width : expected.height)) <= 1)
            #expect(Self.layout(pixels) == Self.layouts[orientation], "box \(box ?? 0)")
        }
        let info = try ImageRawCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.storedSize == Self.size && info.orientation.rawValue == orientation && info.format == .raw)
    }

    /// A raw file in the form of TIFF has EXIF in its directories.
    @Test func exifOfTheDirectoriesIsRead() throws {
        let found = try ImageRawCoder.shared.imageProperties(of: Self.file(orientation: 6).data, limits: .default)
        #expect(found.make == "Maker" && found.model == "Model" && found.info.orientation == .right)
        #expect(found.exifData != nil && found.tiff[256] == nil)
    }

    /// The colours of the sensor are those of sRGB.
    @Test func colorsAreDeveloped() throws {
        let file = DNGFile(width: 64, height: 64) { x, _ in
            // LibRaw makes the picture lighter until a hundredth of it is white.
            x < 4 ? (1, 1, 1) : (0.5, 0.2, 0.1)
        }
        for format in [PixelFormat.rgba8, .rgba16] {
            var options = DecodingOptions()
            options.pixelFormat = format
            let pixels = try ImageRawCoder.shared.decode(file.data, options: options).pixels
            let color = pixels.withUnsafeBytes { bytes -> [Double] in
                let start = bytes.baseAddress! + 32 * pixels.bytesPerRow
                return (0..<3).map { channel in
                    format == .rgba8
                        ? Double((start + 32 * 4 + channel).load(as: UInt8.self)) / 255
                        : Double((start + (32 * 4 + channel) * 2).loadUnaligned(as: UInt16.self)) / 65535
                }
            }
            for (value, light) in zip(color, [0.5, 0.2, 0.1]) {
                #expect(abs(value - (1.055 * pow(light, 1 / 2.4) - 0.055)) < 0.02)
            }
        }
    }

    /// Each pixel of a half-sized picture is a group of four samples, of which red and blue are at opposite corners. A grey
    /// wave stays grey, also at its borders, for each place of the colours and for odd sides.
    @Test(arguments: 0..<4, [PixelSize(width: 240, height: 160), PixelSize(width: 239, height: 161)])
    func colorsOfAHalfSizeAreAtOnePlace(shift: Int, size: PixelSize) throws {
        var file = DNGFile(width: size.width, height: size.height) { x, y in
            let light = 0.3 + 0.1 * sin(Double(x) * 0.3) + 0.1 * cos(Double(y) * 0.25)
            return (light, light, light)
        }
        file.patternOrigin = (shift % 2, shift / 2)
        // Half of 239 px is not enough for 119 px in both directions.
        for side in [size.width == 240 ? 120 : 110, 90, 50] {
            let pixels = try Self.decode(file.data, side)
            var worst = 0
            pixels.withUnsafeBytes { bytes in
                for y in 0..<pixels.height {
                    for x in 0..<pixels.width {
                        let color = (0..<3).map { Int(bytes[y * pixels.bytesPerRow + 4 * x + $0]) }
                        worst = max(worst, (color.max() ?? 0) - (color.min() ?? 0))
                    }
                }
            }
            #expect(worst <= 4, "\(side) px: a difference of \(worst)")
        }
    }

    /// A preview that is too small, or that has another shape, is not used. Here its colours differ from the sensor's.
    @Test func aPreviewIsUsedIfItIsLargeEnough() throws {
        func isPreview(_ preview: PixelSize, box: Int?) throws -> Bool {
            var file = DNGFile(width: Self.size.width, height: Self.size.height) { _, _ in (0.9, 0, 0) }
            let blue = try Image.generated(width: preview.width, height: preview.height) { _, _ in (255, 0, 0, 255) }
            file.preview = try ImageJPEGCoder.shared.encode(blue, format: .jpeg, options: EncodingOptions())
            let pixels = try Self.decode(file.data, box)
            return pixels.withUnsafeBytes { $0[pixels.bytesPerRow * 5 + 22] > $0[pixels.bytesPerRow * 5 + 20] }
        }
        #expect(try isPreview(PixelSize(width: 120, height: 80), box: 120))
        #expect(try !isPreview(PixelSize(width: 120, height: 80), box: 121))
        #expect(try !isPreview(PixelSize(width: 120, height: 80), box: nil))
        #expect(try !isPreview(PixelSize(width: 160, height: 120), box: 60))
    }

    /// The preview is whole although the samples of the sensor are cut off.
    @Test func aFileThatEndsTooEarlyIsDamaged() throws {
        let data = try Self.file().data
        for count in [100, data.count / 2, data.count - 200] {
            #expect(throws: WebImageError.self) { try Self.decode(data.prefix(count), nil) }
        }
    }

    @Test func sensorsCountAgainstTheLimits() throws {
        var options = DecodingOptions()
        options.limits.maxPixels = Self.size.pixelCount - 1
        let data = try Self.file().data
        #expect(throws: WebImageError.self) { try ImageRawCoder.shared.decode(data, options: options) }
        options = DecodingOptions()
        options.limits.maxDecodeBytes = Self.size.pixelCount * 8
        let error = #expect(throws: WebImageError.self) { try ImageRawCoder.shared.decode(data, options: options) }
        #expect(error?.code == .limitExceeded)
    }

    /// Raw files are told from TIFF files by their first directory.
    @Test func rawFilesAreRecognised() throws {
        let raw = try [Self.file().data, Self.file(preview: PixelSize(width: 60, height: 40)).data]
        for data in raw {
            #expect(ImageFormat(sniffing: data) == .raw && ImageRawCoder.shared.canDecode(from: data))
        }
        for text in ["FUJIFILMCCD-RAW 0201", "IIRO\u{8}\0\0\0", "MMOR\0\0\0\u{8}", "FOVb\0\0\0\0", "IIU\0\u{18}\0\0\0"]
        {
            #expect(ImageFormat(sniffing: Data(text.utf8)) == .raw)
        }
        #expect(ImageFormat(sniffing: Data("\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom".utf8)) == .raw)
        let canon = Data([0x49, 0x49, 42, 0, 16, 0, 0, 0, 0x43, 0x52, 2, 0, 0, 0, 0, 0]) + Data(count: 32)
        #expect(ImageFormat(sniffing: canon) == .raw)
        let image = try Image.generated(width: 20, height: 10) { _, _ in (1, 2, 3, 255) }
        let tiff = try ImageTIFFCoder.shared.encode(image, format: .tiff, options: EncodingOptions())
        #expect(ImageFormat(sniffing: tiff) == .tiff && !ImageRawCoder.shared.canDecode(from: tiff))
        for count in 0..<200 { _ = ImageFormat(sniffing: raw[1].suffix(600).prefix(count)) }
    }

    private static func decode(_ data: Data, _ box: Int?) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.thumbnailPixelSize = box.map { PixelSize(width: $0, height: $0) }
        return try ImageRawCoder.shared.decode(data, options: options).pixels
    }
}
