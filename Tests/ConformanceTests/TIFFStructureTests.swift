import Foundation
import Testing
import WebImage
import WebImageSandbox
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits

/// Decodes generated TIFF files of every structure and compares with the signal in them, in this process and in a
/// decoder process.
@Suite(.serialized, .timeLimit(minutes: 10))
struct TIFFStructureTests {
    private static let here = ImageCodersManager(coders: [ImageTIFFCoder.shared])
    private static let isolated: ImageCodersManager = {
        WebImageSandbox.enableForTests()
        return ImageCodersManager(coders: WebImageSandbox.isolated([ImageTIFFCoder.shared]))
    }()

    /// Every combination that is read. Byte order, BigTIFF and compression alternate.
    static let all: [TIFFStructure] = {
        var all: [TIFFStructure] = []
        for colors in TIFFStructure.Colors.allCases {
            let depths: [(bits: Int, format: Int)] =
                switch colors {
                case .palette: [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1)]
                case .lab, .iccLab: [(8, 1), (16, 1)]
                default:
                    [(1, 1), (2, 1), (4, 1), (6, 1), (8, 1), (10, 1), (12, 1), (16, 1), (24, 1), (32, 1)]
                        + [(16, 3), (32, 3), (64, 3)]
                }
            for (bits, format) in depths {
                for alpha in TIFFStructure.Alpha.allCases {
                    // The colours of L*a*b* and of a palette cannot be multiplied.
                    if alpha == .multiplied, [.lab, .iccLab, .palette].contains(colors) { continue }
                    for arrangement in TIFFStructure.Arrangement.allCases {
                        for isPlanar in [false, true] {
                            if isPlanar, colors.channelCount == 1, alpha == .none { continue }
                            var item = TIFFStructure(
                                colors: colors, bits: bits, sampleFormat: format, alpha: alpha,
                                arrangement: arrangement, isPlanar: isPlanar)
                            item.isBigEndian = all.count % 2 == 1
                            item.isBigTIFF = all.count % 3 == 1
                            item.isDeflated = all.count % 5 == 1
                            all.append(item)
                            if colors == .ink {
                                item.profile = ICCSample.linearInk
                                all.append(item)
                            }
                        }
                    }
                }
            }
        }
        return all
    }()

    @Test func everyStructureGivesItsSignal() throws {
        if let folder = ProcessInfo.processInfo.environment["WEBIMAGE_TIFF_FOLDER"] { try Self.write(to: folder) }
        for item in Self.all {
            try Self.check(item, .rgba8)
            if item.bits > 8 { try Self.check(item, .rgba16) }
        }
        print("TIFF: \(Self.all.count) structures")
        #expect(Self.all.count > 1000)
    }

    private static func check(_ item: TIFFStructure, _ format: PixelFormat) throws {
        var options = DecodingOptions()
        options.pixelFormat = format
        let file = item.file()
        guard let image = try? here.decode(file, options: options) else {
            Issue.record("\(item) is not read: \(Result { try here.decode(file, options: options) })")
            return
        }
        let size = item.pages[0].size
        guard image.pixelSize == size, image.pixels.format == format else {
            Issue.record("\(item) has the size \(image.pixelSize)")
            return
        }
        #expect(image.hasAlpha == (item.alpha != .none), "\(item)")
        let largest = format == .rgba16 ? 65535.0 : 255
        var (worst, place) = (0.0, "")
        for y in 0..<size.height {
            for x in 0..<size.width {
                let expected = item.expected(x, y, size)
                for (channel, value) in values(image.pixels, x, y).enumerated() {
                    let difference = abs(value - expected[channel] * largest)
                    if difference > worst {
                        worst = difference
                        place = "(\(x), \(y)) channel \(channel) is \(value), not \(expected[channel] * largest)"
                    }
                }
            }
        }
        #expect(worst <= tolerance(item, format), "\(item) \(format): \(place)")
        let info = try here.imageInfo(of: file, limits: .default)
        #expect(info.hasAlpha == (item.alpha != .none) && info.bitDepth == item.bits && info.frameCount == 1)
        let other = try isolated.decode(file, options: options)
        #expect(image.pixels.isSame(as: other.pixels), "\(item) differs in a decoder process")
        #expect(try isolated.imageInfo(of: file, limits: .default) == info)
    }

    /// The largest difference that rounding explains.
    private static func tolerance(_ item: TIFFStructure, _ format: PixelFormat) -> Double {
        let isDeep = format == .rgba16
        switch item.colors {
        // lcms2 converts 8-bit ink with a profile through a table, and L*a*b* of less than 8 in steep parts of the curve.
        case .ink where item.profile != nil: return isDeep ? 4 * 257 : 4
        // Ink is converted with 8 bits.
        case .ink: return isDeep ? 2 * 257 : 2
        // A table of lcms2 with 16 bits.
        case .lab, .iccLab: return isDeep ? 400 : 2
        default:
            // Colours of 8 bits that are multiplied by alpha are divided by an alpha of a quarter or more.
            if item.alpha == .multiplied { return isDeep ? 4 : 2.5 }
            return 0.51
        }
    }

    private static func values(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> [Double] {
        pixels.withUnsafeBytes { bytes in
            (0..<4).map { channel in
                pixels.format == .rgba16
                    ? Double(bytes.load(fromByteOffset: y * pixels.bytesPerRow + x * 8 + channel * 2, as: UInt16.self))
                    : Double(bytes[y * pixels.bytesPerRow + x * 4 + channel])
            }
        }
    }

    /// Writes all files and their signals, to compare other decoders with them by hand.
    private static func write(to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var list = ""
        for (index, item) in all.enumerated() {
            let name = "\(index).tif"
            try item.file().write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            let size = item.pages[0].size
            var signal = Data()
            for y in 0..<size.height {
                for x in 0..<size.width {
                    signal.append(contentsOf: item.expected(x, y, size).map { UInt8(($0 * 255).rounded()) })
                }
            }
            try signal.write(to: URL(fileURLWithPath: "\(folder)/\(index).rgba"))
            list += "\(name)\t\(size.width)\t\(size.height)\t\(item)\n"
        }
        try Data(list.utf8).write(to: URL(fileURLWithPath: "\(folder)/list.tsv"))
    }
}

/// Pages are no animation, may differ in size, and have their own numbers.
extension TIFFStructureTests {
    private static let pages: TIFFStructure = {
        var item = TIFFStructure()
        let (large, small) = (PixelSize(width: 40, height: 30), PixelSize(width: 20, height: 15))
        item.pages = [
            .init(size: large), .init(size: small, subfileType: 1), .init(size: small),
            .init(size: small, oldSubfileType: 2), .init(size: large, subfileType: 4),
            .init(size: PixelSize(width: 60, height: 10), subfileType: 2, orientation: 6),
        ]
        return item
    }()

    @Test(arguments: [false, true], [false, true])
    func pagesHaveTheirOwnSizes(isBigTIFF: Bool, isBigEndian: Bool) throws {
        var item = Self.pages
        (item.isBigTIFF, item.isBigEndian) = (isBigTIFF, isBigEndian)
        let file = item.file()
        for coders in [Self.here, Self.isolated] {
            let info = try coders.imageInfo(of: file, limits: .default)
            #expect(info.frameCount == 3 && info.loopCount == nil && info.delaysMilliseconds.isEmpty)
            #expect(try coders.decode(file, options: .init()).imageFrameCount == 1)
            var options = DecodingOptions()
            for box in [nil, PixelSize(width: 15, height: 15)] {
                options.thumbnailPixelSize = box
                let pages = try #require(try coders.animation(of: file, options: options))
                #expect(pages.animatedImageFrameCount == 3)
                let sizes = try [2, 0, 1].map { try pages.frame(at: $0).pixelSize }
                let stored = [(10, 60), (40, 30), (20, 15)].map { PixelSize(width: $0.0, height: $0.1) }
                #expect(sizes == stored.map { options.targetSize(for: $0) })
                #expect(throws: WebImageError.self) { try pages.frame(at: 3) }
            }
        }
    }

    @Test func pagesAreNoAnimation() throws {
        let image = try #require(AnimatedImage(data: Self.pages.file(), scale: 1, options: nil, coders: Self.here))
        #expect(image.animatedImageFrameCount == 0 && image.imageFrameCount == 1)
    }

    /// The second directory is the picture if the first one is a smaller copy of it.
    @Test func aSmallerCopyIsNoPage() throws {
        var item = TIFFStructure()
        item.pages = [
            .init(size: PixelSize(width: 8, height: 8), subfileType: 1), .init(size: PixelSize(width: 40, height: 30)),
        ]
        for coders in [Self.here, Self.isolated] {
            let info = try coders.imageInfo(of: item.file(), limits: .default)
            #expect(info.frameCount == 1 && info.pixelSize == PixelSize(width: 40, height: 30))
            #expect(try coders.decode(item.file(), options: .init()).pixelSize == PixelSize(width: 40, height: 30))
            item.pages[1].subfileType = 1
            #expect(try coders.imageInfo(of: item.file(), limits: .default).pixelSize == PixelSize(width: 8, height: 8))
            item.pages[1].subfileType = nil
        }
    }

    @Test func tooManyPagesAreALimit() throws {
        var item = TIFFStructure(bits: 8)
        item.pages = Array(repeating: .init(size: PixelSize(width: 2, height: 2)), count: 12)
        var options = DecodingOptions()
        options.limits.maxFrameCount = 10
        for coders in [Self.here, Self.isolated] {
            let error = #expect(throws: WebImageError.self) { try coders.animation(of: item.file(), options: options) }
            #expect(error?.code == .limitExceeded)
        }
    }

    /// A chain of directories that refers back to itself ends, and so do directories that overlap.
    @Test func directoriesThatRepeatEnd() throws {
        var item = TIFFStructure()
        item.pages = [.init(), .init()]
        var file = item.file()
        let limits = DecodingLimits.default
        let first = 8
        let count = Int(file[first])
        file.replaceSubrange(first + 2 + count * 12..<first + 6 + count * 12, with: [8, 0, 0, 0])
        let table = file.withUnsafeBytes { TIFFPageTable($0, maxPages: limits.maxFrameCount) }
        #expect(table.pages.count == 1)
        // Each directory starts two bytes after the previous one and has 4000 entries.
        var hostile = Data("II".utf8) + Data([42, 0, 8, 0, 0, 0])
        hostile.append(Data(repeating: 0xA0, count: 1 << 20))
        let overlapping = hostile.withUnsafeBytes { TIFFPageTable($0, maxPages: limits.maxFrameCount) }
        #expect(overlapping.pages.count <= 2)
    }
}

/// Files that are refused say why.
extension TIFFStructureTests {
    @Test func otherKindsAreNotSupportedAndNotDamaged() {
        var kinds: [(String, TIFFStructure)] = [
            ("JPEG 2000", TIFFStructure(fields: [259: 34712])),
            ("Aperio's JPEG 2000", TIFFStructure(fields: [259: 33003])),
            ("an unknown compression", TIFFStructure(fields: [259: 50123])),
            ("colours of a sensor", TIFFStructure(colors: .gray, fields: [262: 32803])),
            ("fax colours", TIFFStructure(fields: [262: 10])),
            ("other inks", TIFFStructure(colors: .ink, fields: [332: 2])),
        ]
        for (bits, format) in [(8, 2), (16, 2), (32, 2), (64, 1), (64, 6), (32, 5)] {
            kinds.append(
                ("\(bits) bits, format \(format)", TIFFStructure(colors: .gray, bits: bits, sampleFormat: format)))
        }
        for (name, item) in kinds {
            for coders in [Self.here, Self.isolated] {
                let error = #expect(throws: WebImageError.self, "\(name)") {
                    try coders.decode(item.file(), options: .init())
                }
                #expect(error?.code == .unsupportedFormat, "\(name): \(error.map { "\($0)" } ?? "read")")
                #expect(error.map { "\($0)".contains("support") } == true, "\(name): \(error.map { "\($0)" } ?? "")")
            }
        }
    }

    /// A file that ends early is an error, wherever it ends.
    @Test func aTruncatedFileIsDamaged() {
        for arrangement in TIFFStructure.Arrangement.allCases {
            for (isPlanar, isDeflated) in [(false, false), (true, false), (false, true), (true, true)] {
                let item = TIFFStructure(arrangement: arrangement, isPlanar: isPlanar, isDeflated: isDeflated)
                let file = item.file()
                for kept in stride(from: 0, to: file.count - 8, by: max(file.count / 40, 1)) + [file.count / 2] {
                    let error = #expect(throws: WebImageError.self, "\(item) cut at \(kept) of \(file.count)") {
                        try Self.here.decode(file.prefix(kept), options: .init())
                    }
                    #expect(error.map { [.badImageData, .unsupportedFormat].contains($0.code) } == true)
                    if kept > 16 { #expect(error?.code == .badImageData, "\(item) cut at \(kept)") }
                }
            }
        }
    }
}
