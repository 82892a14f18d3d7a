import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageService

/// Tests the parser for imgproxy's URL grammar.
@Suite(.timeLimit(minutes: 1))
struct ImgproxyRouterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let names: [String]
        let arguments: String
        let set: @Sendable (inout ProcessingOptions) -> Void

        init(_ names: String, _ arguments: String, _ set: @escaping @Sendable (inout ProcessingOptions) -> Void) {
            self.names = names.split(separator: " ").map(String.init)
            self.arguments = arguments
            self.set = set
        }

        var testDescription: String { "\(names[0]):\(arguments)" }
    }

    static let rows: [Row] = [
        Row("resize rs", "fill:300:400:1:1:no:10:-20") {
            $0.resizing = .fill
            ($0.width, $0.height, $0.enlarge) = (300, 400, true)
            $0.extend = .init(isEnabled: true, gravity: .init(anchor: .north, x: 10, y: -20))
        },
        Row("resize rs", "::400") { $0.height = 400 },
        Row("resize rs", "fill-down") { $0.resizing = .fillDown },
        Row("size s", "300:400:t") { ($0.width, $0.height, $0.enlarge) = (300, 400, true) },
        Row("size s", ":400::1") {
            $0.height = 400
            $0.extend.isEnabled = true
        },
        Row("resizing_type rt", "force") { $0.resizing = .force },
        Row("resizing_type rt", "auto") { $0.resizing = .auto },
        Row("width w", "320") { $0.width = 320 },
        Row("height h", "0") { $0.height = 0 },
        Row("min-width mw", "10") { $0.minWidth = 10 },
        Row("min-height mh", "11") { $0.minHeight = 11 },
        Row("zoom z", "1.5") { ($0.zoomX, $0.zoomY) = (1.5, 1.5) },
        Row("zoom z", "2:0.5") { ($0.zoomX, $0.zoomY) = (2, 0.5) },
        Row("dpr", "2.5") { $0.dpr = 2.5 },
        Row("enlarge el", "true") { $0.enlarge = true },
        Row("enlarge el", "yes") { $0.enlarge = false },
        Row("extend ex", "1:soea:0.1:5") {
            $0.extend = .init(isEnabled: true, gravity: .init(anchor: .southEast, x: 0.1, y: 5))
        },
        Row("extend_aspect_ratio extend_ar exar", "1:fp:0.2:0.8") {
            $0.extendAspectRatio = .init(isEnabled: true, gravity: .init(anchor: .focusPoint, x: 0.2, y: 0.8))
        },
        Row("gravity g", "sm") { $0.gravity.anchor = .smart },
        Row("gravity g", "nowe::7") { $0.gravity = .init(anchor: .northWest, x: 0, y: 7) },
        Row("gravity g", "fp:1:0") { $0.gravity = .init(anchor: .focusPoint, x: 1, y: 0) },
        Row("crop c", "0.5") { $0.crop = .init(width: 0.5) },
        Row("crop c", "100:0:ea:3") {
            $0.crop = .init(width: 100, height: 0, gravity: .init(anchor: .east, x: 3))
        },
        Row("trim t", "10") { $0.trim = .init(threshold: 10) },
        Row("trim t", "1.5:FF00ff:1:1") {
            $0.trim = .init(
                threshold: 1.5, color: PlainColor(red: 255, green: 0, blue: 255), hasEqualHorizontal: true,
                hasEqualVertical: true)
        },
        Row("trim t", "") { $0.trim = nil },
        Row("padding pd", "10") { $0.padding = .init(top: 10, right: 10, bottom: 10, left: 10) },
        Row("padding pd", "10:20") { $0.padding = .init(top: 10, right: 20, bottom: 10, left: 20) },
        Row("padding pd", "1:2:3") { $0.padding = .init(top: 1, right: 2, bottom: 3, left: 2) },
        Row("padding pd", "1:2:3:4") { $0.padding = .init(top: 1, right: 2, bottom: 3, left: 4) },
        Row("padding pd", ":::4") { $0.padding.left = 4 },
        Row("auto_rotate ar", "0") { $0.autoRotate = false },
        Row("rotate rot", "-90") { $0.quarterTurns = 3 },
        Row("rotate rot", "450") { $0.quarterTurns = 1 },
        Row("flip fl", "1") { $0.flipHorizontal = true },
        Row("flip fl", ":1") { $0.flipVertical = true },
        Row("background bg", "fc0") { $0.background = .color(PlainColor(red: 255, green: 204, blue: 0)) },
        Row("background bg", "010203") { $0.background = .color(PlainColor(red: 1, green: 2, blue: 3)) },
        Row("background bg", "255:0:7") { $0.background = .color(PlainColor(red: 255, green: 0, blue: 7)) },
        Row("background bg", "") { $0.background = nil },
        Row("blur bl", "0.5") { $0.blur = 0.5 },
        Row("sharpen sh", "0.7") { $0.sharpen = 0.7 },
        Row("pixelate pix", "8") { $0.pixelate = 8 },
        Row("watermark wm", "0.5") { $0.watermark = .init(opacity: 0.5) },
        Row("watermark wm", "1:re:10:20:0.2") {
            $0.watermark = .init(
                opacity: 1, gravity: .init(anchor: .center, x: 10, y: 20), isTiled: true, scale: 0.2)
        },
        Row("watermark wm", "0") { $0.watermark = nil },
        Row("strip_metadata sm", "0") { $0.stripMetadata = false },
        Row("keep_copyright kcr", "0") { $0.keepCopyright = false },
        Row("strip_color_profile scp", "0") { $0.stripColorProfile = false },
        Row("video_thumbnail_second vts", "2.5") { $0.videoSecond = 2.5 },
        Row("page pg", "3") { $0.page = 3 },
        Row("preserve_hdr ph hdr", "1") { $0.preserveHDR = true }, Row("preserve_hdr ph hdr", "0") { _ in },
        Row("enforce_thumbnail eth", "0") { _ in },
        Row("quality q", "75") { $0.quality = 75 },
        Row("format_quality fq", "jpg:70:webp:60") { $0.formatQuality = [.jpeg: 70, .webp: 60] },
        Row("autoquality aq", "ssim2:80") { $0.aim = .init(score: 80) },
        Row("autoquality aq", "ssim2:1:20:95") { $0.aim = .init(score: 1, minQuality: 20, maxQuality: 95) },
        Row("autoquality aq", "ssim2:99::70") { $0.aim = .init(score: 99, maxQuality: 70) },
        Row("autoquality aq", "none") { $0.aim = nil },
        Row("max_bytes mb", "10000") { $0.maxBytes = 10000 },
        Row("format f ext", "jpg") { $0.format = .jpeg },
        Row("format f ext", "avif") { $0.format = .avif },
        Row("skip_processing skp", "gif:svg") { $0.skippedFormats = [.gif, .svg] },
        Row("raw", "1") { $0.raw = true },
        Row("cachebuster cb", "v2") { $0.cacheBuster = "v2" },
        Row("cache-tag cache_tag ct", "a:b%2Fc:a") { $0.tags = ["a", "b/c"] },
        Row("expires exp", "1700000000") { $0.expires = 1_700_000_000 },
        Row("expires exp", "0") { $0.expires = nil },
        Row("filename fn", "cat%20a") { $0.filename = "cat a" },
        Row("filename fn", "Y2F0:1") { $0.filename = "cat" },
        Row("return_attachment att", "1") { $0.isAttachment = true },
        Row("max_src_resolution msr", "1.5") { $0.limits.maxSourcePixels = 1_500_000 },
        Row("max_animation_frame_resolution mafr", "2") { $0.limits.maxFramePixels = 2_000_000 },
        Row("max_src_file_size msfs", "1000") { $0.limits.maxSourceBytes = 1000 },
        Row("max_animation_frames maf", "3") { $0.limits.maxFrames = 3 },
        Row("max_result_dimension mrd", "500") { $0.limits.maxResultDimension = 500 },
    ]

    private let router = ImgproxyRouter()
    private static let url = "http://example.com/a.jpg"

    @Test(arguments: rows) func everyOptionIsReadByAllItsAliases(row: Row) throws {
        var expected = ProcessingOptions()
        row.set(&expected)
        for name in row.names {
            let target = try router.parse("/_/\(name):\(row.arguments)/plain/\(Self.url)")
            #expect(target == ImageTarget(source: Self.url, options: expected), "\(name)")
        }
    }

    @Test func optionTableAndTestsContainEveryOptionOnce() {
        let names = OptionTable.rows.flatMap(\.names)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == Set(Self.rows.flatMap(\.names)))
    }

    static let refused: [String] = [
        "w", "w:", "w:-1", "w:1.5", "w:0x10", "w:+5", "w:99999999999999999999", "w:1:2", "w:٣", "rs:cover:1:1",
        "rs:fit:a",
        "rt:", "rt:best", "z:0", "z:-1", "z:nan", "z:inf", "z:1e999", "dpr:0", "dpr:", "ex:1:sm", "g:", "g:xx",
        "g:sm:1",
        "g:fp", "g:fp:1", "g:fp:2:0", "g:ce:a", "g:ce:1:2:3", "g:obj", "c:", "c:-1", "c:1:2:zz", "t:x", "t:1:12",
        "t:300", "pd:1:2:3:4:5",
        "pd:a", "rot:45", "rot:", "bg:12", "bg:256:0:0", "bg:1:2", "bg:zzz", "bl:-1", "bl:", "pix:-1", "wm:2",
        "wm:1:sm",
        "wm:1:ch", "q:101", "q:-1", "fq:jpg", "fq:xx:1", "mb:-1", "aq:",
        "aq:ssim2", "aq:ssim2:0", "aq:ssim2:100", "aq:ssim2:nan", "aq:ssim2:1.5", "aq:dssim:0.02", "aq:ssim2:80:0",
        "aq:ssim2:80:90:10", "aq:ssim2:80:1:101", "aq:ssim2:80:1:100:1", "f:", "f:best", "f:exe", "skp:", "exp:x",
        "exp:-1",
        "fn:%:1", "pr:none",
        "eth:1", "obj:1", "br:10", "dpi:72", "sm", "unknown:1", ":1", "\u{1}:1", "a\r\nX-Evil:1",
        "max_src_resolution:0",
    ]

    @Test(arguments: refused) func invalidOptionIs400AndNamed(segment: String) {
        do {
            let target = try router.parse("/_/\(segment)/plain/\(Self.url)")
            Issue.record("\(segment) was read as \(target)")
        } catch {
            #expect(error.status == 400)
            let name = segment.prefix { $0 != ":" }
            if segment.contains(":") {
                #expect(error.option == String(name))
                #expect(error.message.hasPrefix("option "))
            }
            #expect(!error.message.utf8.contains { $0 < 0x20 })
        }
    }

    static let sources: [(path: String, source: String, format: OutputFormat?)] = [
        ("/_/plain/http://example.com/a.jpg", "http://example.com/a.jpg", nil),
        ("/_/plain/http://example.com/a.jpg@png", "http://example.com/a.jpg", .png),
        ("/_/plain/http://example.com/a.jpg@", "http://example.com/a.jpg", nil),
        ("/_/plain/http://example.com/a%3Fid=1%40x+y", "http://example.com/a?id=1@x+y", nil),
        ("/_/plain/https:/example.com/a.jpg", "https://example.com/a.jpg", nil),
        ("/_/plain/local:/a.jpg", "local:///a.jpg", nil),
        ("/_/plain/local:///a%20b/%D1%84.jpg@webp", "local:///a b/ф.jpg", .webp),
        ("/_/w%3A100/plain/http://example.com/a%253Ab.jpg", "http://example.com/a%3Ab.jpg", nil),
        ("//_/plain/http://example.com//a.jpg", "http://example.com//a.jpg", nil),
        // Escapes that are not valid, or not UTF-8, stay as in browsers.
        ("/_/plain/http://example.com/%zz", "http://example.com/%zz", nil),
        ("/_/plain/http://example.com/caf%e9.jpg", "http://example.com/caf%E9.jpg", nil),
        ("/_/aHR0cDovL2V4YW1w/bGUuY29tL2EuanBn", "http://example.com/a.jpg", nil),
        ("/_/aHR0cDovL2V4YW1w/bGUuY29tL2EuanBn.png", "http://example.com/a.jpg", .png),
        ("/_/aHR0cDovL2V4YW1wbGUuY29tL2E=.gif", "http://example.com/a", .gif),
        ("/_/w%3A100/aHR0cDovL2V4YW1wbGUuY29tL2E", "http://example.com/a", nil),
        ("/_/f:webp/plain/http://example.com/a@avif", "http://example.com/a", .avif),
        ("/_/raw:1/f:webp/plain/http://example.com/a@avif", "http://example.com/a", .webp),
    ]

    @Test(arguments: sources) func sourcesAreRead(row: (path: String, source: String, format: OutputFormat?)) throws {
        let target = try router.parse(row.path[...])
        #expect(target.source == row.source)
        #expect(target.options.format == row.format)
    }

    @Test(arguments: [
        "", "/", "/_", "/_/", "/_/plain", "/_/plain/", "/_/plain/@png", "/_/plain/a@b@c",

        "/_/plain/a%00b", "/_/plain/a%0d%0ab", "/_/w:1", "/_/w:1/", "/_/fit/300/300/ce/0/aHR0cDo", "/_/a.b.c", "/_/+/x",
        "/_/enc/abc", "/_/aHR0cDo.exe", "/_/_w", "/_/a", "/_/a=b",
    ]) func targetsOfNoGrammarAre400(path: String) {
        #expect { try router.parse(path[...]) } throws: { ($0 as? ServiceRefusal)?.status == 400 }
    }

    @Test func laterOptionsOverrideAndPresetsAreExpandedInPlace() throws {
        var router = ImgproxyRouter()
        router.presets = try PresetTable([
            "default=q:50/w:1", "sharp=sh:1/h:2", "both=pr:sharp:loop/w:3", "loop=pr:both/el:1", "blank=bg:fff",
        ])
        let target = try router.parse("/_/w:9/preset:both:blank/h:7/plain/http://a/b")
        var expected = ProcessingOptions()
        (expected.quality, expected.sharpen, expected.width, expected.height) = (50, 1, 3, 7)
        expected.enlarge = true
        expected.background = .color(.white)
        #expect(target.options == expected)
        router.onlyPresets = true
        #expect(try router.parse("/_/sharp/plain/http://a/b").options.sharpen == 1)
        #expect(throws: ServiceRefusal.self) { try router.parse("/_/w:1/plain/http://a/b") }
        #expect(throws: ConfigurationError.self) { try PresetTable(["bad=w:x"]) }
        #expect(throws: ConfigurationError.self) { try PresetTable(["=w:1"]) }
        #expect(throws: ConfigurationError.self) { try PresetTable(["a=pr:missing"]) }
    }

    @Test func allowedOptionsApplyOutsideOfPresets() throws {
        var router = ImgproxyRouter()
        router.allowedOptions = ["w", "pr"]
        router.presets = try PresetTable(["small=h:10"])
        #expect(try router.parse("/_/w:1/pr:small/plain/http://a/b").options.height == 10)
        #expect { try router.parse("/_/width:1/plain/http://a/b") } throws: {
            ($0 as? ServiceRefusal)?.option == "width"
        }
    }

    @Test func lastSegmentOfABase64SourceMayBeAFileName() throws {
        var router = ImgproxyRouter()
        router.base64HasFilename = true
        #expect(try router.parse("/_/aHR0cDovL2V4YW1wbGUuY29tL2E/puppy.jpg").source == "http://example.com/a")
    }
}

/// Tests how signed targets are parsed and verified.
@Suite(.timeLimit(minutes: 1))
struct SignedTargetTests {
    private var router = ImgproxyRouter()

    init() throws {
        for vector in [SigningTests.vectors[0], SigningTests.vectors[4]] {
            let signer = try #require(URLSigner(hexKey: vector.key, hexSalt: vector.salt))
            router.signing.signers.append(signer)
        }
    }

    @Test(arguments: [0, 4, 5, 7, 8, 9]) func signatureVectorsAreAcceptedWithEveryKey(index: Int) throws {
        let vector = SigningTests.vectors[index]
        _ = try router.parse("/\(vector.signature)\(vector.path)"[...])
        let forged = (vector.signature.first == "A" ? "B" : "A") + vector.signature.dropFirst()
        for signature in [forged, "unsafe", "_", vector.signature + "A", String(vector.signature.dropLast(2))] {
            #expect { try router.parse("/\(signature)\(vector.path)"[...]) } throws: {
                ($0 as? ServiceRefusal)?.status == 403
            }
        }
        #expect(throws: ServiceRefusal.self) { try router.parse("/\(vector.signature)/el:1\(vector.path)"[...]) }
    }

    @Test func signatureIsValidForARepairedTarget() throws {
        let path = "/rs:fit:300:300/plain/http://img.example.com/pretty/image.jpg"
        let signature = "m3k5QADfcKPDj-SDI2AIogZbC3FlAXszuwhtWXYqavc"
        #expect(SigningTests.vectors[4].path == path)
        _ = try router.parse("/\(signature)/rs%3Afit%3A300%3A300/plain/http:/img.example.com/pretty/image.jpg")
    }

    @Test func trustedSignaturesAreAccepted() throws {
        var router = router
        router.signing.trusted = ["letmein"]
        #expect(try router.parse("/letmein/w:1/plain/http://a/b").options.width == 1)
        #expect(throws: ServiceRefusal.self) { try router.parse("/letmeou/w:1/plain/http://a/b") }
    }

    @Test func missingSignatureSegmentIsReportedWithoutKeys() {
        #expect { try ImgproxyRouter().parse("/w:1/h:2/plain/http://a/b") } throws: {
            ($0 as? ServiceRefusal)?.status == 403
        }
    }
}
