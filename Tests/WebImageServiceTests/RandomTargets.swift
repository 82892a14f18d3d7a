import Foundation
import WebImage
import WebImageTesting

@testable import WebImageService

/// Makes random targets in both grammars from a seed. Most values are valid. Sizes are often at or beside a limit.
struct RandomTargets {
    private var random: SeededRandom
    private let sources: [String]
    /// The values beside which sides are chosen.
    private let limits: [Int]
    /// The share of the sides at a limit that are really there; all others are small.
    private let limitShare: Double

    /// - Parameter limitShare: 1 lets a fifth of all sides be at a limit.
    init(seed: UInt64, sources: [String], limits: [Int], limitShare: Double = 1) {
        random = SeededRandom(seed: seed)
        self.sources = sources
        self.limits = limits
        self.limitShare = limitShare
    }

    mutating func next() -> ServiceRequest {
        let target = chance(0.65) ? imgproxyTarget() : thumborTarget()
        let accept = pick(["", "", "image/webp", "image/avif,image/webp,*/*;q=0.8", "image/avif"])
        return ServiceRequest(target: target, headers: accept.isEmpty ? [:] : ["Accept": accept])
    }

    // MARK: Values

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func side() -> Int {
        switch integer(0...19) {
        case 0...10: integer(1...300)
        case 11...12: 0
        case 13: 1
        case 14: integer(2...20)
        case 15: integer(300...1_200)
        case 16... where limitShare < 1 && !chance(limitShare): integer(1...300)
        case 16...17: max(pick(limits) + integer(-1...1), 0)
        case 18: pick([256, 257, 16_383, 16_384, 65_535, 65_536])
        default: OptionTable.side.upperBound
        }
    }

    private mutating func flag() -> String { pick(["0", "1", "t", "false", "1"]) }

    private mutating func number(_ range: ClosedRange<Double>) -> String {
        switch integer(0...5) {
        case 0: return "\(range.lowerBound)"
        case 1: return "\(range.upperBound)"
        default: return String(plainFormat: "%.3f", Double.random(in: range, using: &random))
        }
    }

    private mutating func offset() -> String {
        switch integer(0...4) {
        case 0: ""
        case 1: number(-1...1)
        case 2: "\(integer(-40...40))"
        case 3: "\(pick([-1_000_000, 1_000_000]))"
        default: "0"
        }
    }

    private mutating func color() -> String { pick(["fff", "000", "ff0000", "12ab9F"]) }

    private mutating func format() -> String {
        pick(["jpg", "png", "webp", "png", "jpg", "webp", "gif", "avif", "ico", "bmp", "tiff", "jxl", "heic", "svg"])
    }

    private mutating func gravity(_ anchors: [String] = Gravity.Anchor.allCases.map(\.rawValue)) -> String {
        let anchor = pick(anchors)
        switch anchor {
        case "sm": return "sm"
        case "fp": return "fp:\(number(0...1)):\(number(0...1))"
        default: return chance(0.5) ? anchor : "\(anchor):\(offset()):\(offset())"
        }
    }

    private mutating func factor() -> String {
        pick(["1", "2", "0.5", number(0.1...4), number(0.0001...0.1), "0.0001", "10000", "1.5"])
    }

    // MARK: imgproxy

    private mutating func imgproxyTarget() -> String {
        var parts = (0..<integer(0...6)).map { _ in option() }
        // Most options have an effect only with a size.
        if chance(0.7) { parts.insert("rs:\(pick(Self.types)):\(side()):\(side())", at: 0) }
        if chance(0.03) { parts.append(pick(["w:x", "zz:1", "rs:a", "pr:none", "c:", "dpr:0", "w:1:2:3"])) }
        let source = pick(sources)
        let prefix = chance(0.05) ? "/info" : ""
        let extensionPart = chance(0.5) ? "@" + format() : ""
        return prefix + "/_/" + parts.map { $0 + "/" }.joined() + "plain/" + source + extensionPart
    }

    private static let types = ["fit", "fill", "fill-down", "force", "auto"]

    private mutating func option() -> String {
        let row = pick(OptionTable.rows)
        return pick(row.names) + ":" + arguments(of: row.names[0])
    }

    /// Returns random arguments of an option; nil for an option that is not known here.
    mutating func arguments(of option: String) -> String { knownArguments(of: option) ?? "1" }

    // The table has one case for each option, so it is long.
    mutating func knownArguments(of option: String) -> String? {
        let plain = ["no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce"]
        switch option {
        case "resize": return "\(pick(Self.types)):\(side()):\(side()):\(flag()):\(flag())"
        case "size": return "\(side()):\(side()):\(flag())"
        case "resizing_type": return pick(Self.types)
        case "width", "height", "min-width", "min-height": return "\(side())"
        case "zoom": return chance(0.5) ? factor() : "\(factor()):\(factor())"
        case "dpr": return factor()
        case "enlarge", "auto_rotate", "return_attachment": return flag()
        case "extend", "extend_aspect_ratio":
            return chance(0.5) ? "1" : "1:\(gravity(plain + ["fp"]))"
        case "gravity": return gravity()
        case "crop":
            let (width, height) = (number(0...1), chance(0.5) ? number(0...1) : "\(side())")
            return chance(0.5) ? "\(width):\(height)" : "\(side()).5:\(side()):\(gravity())"
        case "trim": return "\(number(0...255)):\(chance(0.5) ? color() : ""):\(flag()):\(flag())"
        case "padding":
            return (0..<integer(1...4)).map { _ in chance(0.8) ? "\(integer(0...30))" : "\(side())" }
                .joined(separator: ":")
        case "rotate": return "\(90 * integer(-4...4))"
        case "flip": return "\(flag()):\(flag())"
        case "background": return chance(0.7) ? color() : "\(integer(0...255)):0:255"
        case "blur", "sharpen": return pick(["0.3", "1", "2.4", "2.5", "5", number(0...20), "100", "1000"])
        case "pixelate": return pick(["1", "2", "7", "50", "\(side())"])
        case "watermark":
            let scale = pick(["", "0", "0.1", "1", "100"])
            return "\(number(0...1)):\(pick(plain + ["re", "re"])):\(offset()):\(offset()):\(scale)"
        case "strip_metadata", "keep_copyright", "strip_color_profile", "preserve_hdr": return flag()
        case "video_thumbnail_second": return pick(["0", "1.5", "1000"])
        case "page": return pick(["0", "0", "1", "2"])
        case "enforce_thumbnail": return chance(0.9) ? "0" : "1"
        case "quality": return "\(integer(0...100))"
        case "format_quality": return "\(format()):\(integer(0...100))"
        case "autoquality":
            return pick(["none", "ssim2:\(integer(1...99))", "ssim2:80:\(integer(1...50)):\(integer(51...100))"])
        case "max_bytes": return pick(["0", "1", "500", "5000", "1000000"])
        case "format": return format()
        case "skip_processing": return format()
        case "raw": return chance(0.9) ? "0" : "1"
        case "cachebuster": return "v\(integer(0...3))"
        case "cache-tag": return chance(0.5) ? "t\(integer(0...3))" : "t\(integer(0...3)):t\(integer(0...3))"
        case "expires": return pick(["0", "1", "9999999999"])
        case "filename": return pick(["cat", "a%20b", "Y2F0:1"])
        case "max_src_resolution": return pick(["0.001", "1", "50"])
        case "max_animation_frame_resolution": return pick(["0.001", "1", "50"])
        case "max_src_file_size": return pick(["1", "1000", "1000000"])
        case "max_animation_frames": return pick(["1", "2", "100"])
        case "max_result_dimension": return pick(["1", "16", "300", "\(pick(limits))"])
        default: return nil
        }
    }

    // MARK: thumbor

    private mutating func thumborTarget() -> String {
        var path = "/t/unsafe/"
        if chance(0.05) { path += "meta/" }
        if chance(0.1) { path += pick(["trim/", "trim:bottom-right/", "trim:top-left:40/", "trim:442/"]) }
        if chance(0.2) { path += "\(side())x\(side()):\(side())x\(side())/" }
        if chance(0.4) { path += pick(["fit-in/", "full-fit-in/", "adaptive-fit-in/", "adaptive-full-fit-in/"]) }
        if chance(0.9) {
            func text(_ value: Int) -> String { value == 0 ? "" : "\(value)" }
            let (width, height) = (chance(0.05) ? "orig" : text(side()), chance(0.05) ? "orig" : text(side()))
            path += "\(chance(0.1) ? "-" : "")\(width)x\(chance(0.1) ? "-" : "")\(height)/"
        }
        if chance(0.2) { path += pick(["left/", "center/", "right/"]) }
        if chance(0.2) { path += pick(["top/", "middle/", "bottom/"]) }
        if chance(0.15) { path += "smart/" }
        if chance(0.6) { path += "filters:" + (0..<integer(1...3)).map { _ in filter() }.joined(separator: ":") + "/" }
        return path + pick(sources)
    }

    private mutating func filter() -> String {
        let name = pick(Self.filters)
        return "\(name)(\(filterArguments(of: name)))"
    }

    static let filters = [
        "quality", "format", "max_bytes", "fill", "background_color", "no_upscale", "upscale", "stretch", "focal",
        "blur", "sharpen", "grayscale", "brightness", "contrast", "saturation", "rgb", "rotate", "round_corner",
        "strip_exif", "strip_icc",
    ]

    mutating func filterArguments(of name: String) -> String {
        switch name {
        case "quality": return "\(integer(0...100))"
        case "format": return format()
        case "max_bytes": return pick(["0", "1", "500", "5000"])
        case "fill": return pick(["red", "auto", "transparent", "12ab34,1", "auto,1", "Navy"])
        case "background_color": return pick(["white", "#102030"])
        case "focal": return "\(side())x\(side()):\(side())x\(side())"
        case "blur": return pick(["1", "7,2.4", number(0...150), "200"])
        case "sharpen": return "\(number(0...100)),1,true"
        case "brightness", "contrast": return "\(integer(-120...120))"
        case "saturation": return pick(["0", "1", "-0.5", number(0...3)])
        case "rgb": return "\(integer(-100...100)),\(integer(-100...100)),0"
        case "rotate": return pick(["90", "180", "-90", "45", "450", "0.5"])
        case "round_corner":
            return pick(["20", "20|5,255,0,0", "20%7C5,0,0,0", "\(side())|\(side()),0,0,0,1", "\(side()),0,0,0"])
        default: return ""
        }
    }
}

/// Generated sources for ``RandomTargets``: every format, tiny and huge sides, animations and damaged files.
enum RandomSources {
    static let host = "http://example.com/"

    /// Registers the sources at a server and returns their URLs.
    ///
    /// - Parameter large: Whether sources of many megapixels are included.
    static func register(at server: SourceServer, large: Bool) throws -> [String] {
        var urls: [String] = []
        for (name, data) in try files(large: large) {
            server.answer(host + name, data)
            urls.append(host + name)
        }
        // A source that does not exist.
        return urls + [host + "missing.png"]
    }

    private static func files(large: Bool) throws -> [(String, Data)] {
        let quadrants = try PictureFixtures.quadrants()
        let noise = try TestImages.noise(width: 300, height: 200)
        let clear = try Image.generated(width: 90, height: 120) { x, y in
            (x / 10 + y / 10) % 2 == 0 ? PictureFixtures.clear : PictureFixtures.green
        }
        var files: [(String, Data)] = [
            ("quadrants.png", quadrants), ("quadrants-again.png", quadrants),
            ("noise.jpg", try PictureFixtures.encoded(noise, .jpeg)),
            ("noise.webp", try PictureFixtures.encoded(noise, .webP)),
            ("clear.png", try PictureFixtures.encoded(clear, .png, hasAlpha: true)),
            ("clear.webp", try PictureFixtures.encoded(clear, .webP, hasAlpha: true)),
            ("one.png", try plain(1, 1, .png)), ("one.bmp", try plain(1, 1, .bmp)), ("two.gif", try plain(2, 3, .gif)),
            ("icon.ico", try plain(32, 32, .ico)), ("high.png", try plain(1, 10_000, .png)),
            ("wide.png", try plain(10_000, 1, .png)), ("wide.jpg", try plain(20_000, 3, .jpeg)),
            ("animation.gif", try PictureFixtures.animation(.gif, frames: 3, side: 40)),
            ("animation.webp", try PictureFixtures.animation(.webP, frames: 4, side: 33)),
            ("animation.png", try PictureFixtures.animation(.png, frames: 2, side: 20)),
            ("small.svg", svg("width=\"60\" height=\"40\"")), ("huge.svg", svg("width=\"1000000\" height=\"900000\"")),
            ("thin.svg", svg("width=\"100000\" height=\"1\"")),
            ("cut.png", Data(quadrants.prefix(quadrants.count / 2))),
            ("text.png", Data("no picture".utf8)), ("empty.png", Data()),
        ]
        let turned = try PictureFixtures.encoded(noise, .jpeg)
        for orientation in [3, 6, 7] as [UInt8] {
            files.append(("turned\(orientation).jpg", EXIFOrientation.marking(turned, orientation) ?? turned))
        }
        if large {
            files += [
                ("photo.jpg", try plain(4_000, 3_000, .jpeg)), ("large.png", try plain(7_000, 7_000, .png)),
                ("limit.png", try plain(10_000, 5_001, .png)), ("long.png", try plain(65_535, 20, .png)),
                ("longer.png", try plain(1_000_000, 2, .png)), ("tall.webp", try plain(30, 16_383, .webP)),
                ("large.gif", try PictureFixtures.animation(.gif, frames: 20, side: 500)),
            ]
        }
        return files
    }

    private static func plain(_ width: Int, _ height: Int, _ format: ImageFormat) throws -> Data {
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in _ = memset(bytes.baseAddress!, 0xC0, bytes.count) }
        return try PictureFixtures.encoded(Image(pixels: pixels, hasAlpha: false), format)
    }

    private static func svg(_ size: String) -> Data {
        Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" \(size)><rect width="50%" height="50%" fill="red"/>
            <circle cx="30" cy="20" r="9"/></svg>
            """.utf8)
    }
}
