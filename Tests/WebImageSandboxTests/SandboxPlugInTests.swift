import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageSandbox

/// PDF, Lottie, raw files and JPEG 2000 in decoder processes, beside the same in this process. ``SandboxVideoTests`` has videos.
@Suite(.serialized, .timeLimit(minutes: 30), .needsRealDecoderProcesses)
struct SandboxPlugInTests {
    /// A file of which a worker has decoded nothing before it was locked: other fonts, filters, layouts and tools.
    struct File: Sendable, CustomStringConvertible {
        let format: ImageFormat
        let name: String
        let data: @Sendable () throws -> Data
        var description: String { "\(format) \(name)" }

        func coder() throws -> any ImageCoder {
            try #require(SandboxProfile(format)?.types.first { $0.formats.contains(format) }).shared
        }
    }

    static let files: [File] = documents + animations + sensors + levels

    private static var documents: [File] {
        guard PDFium.isThere else { return [] }
        func page(_ name: String, _ content: String, _ resources: String = "") -> File {
            File(format: .pdf, name: name) {
                PDFBytes(pages: [.init(content: content, fields: "/Resources << \(resources) >>")]).data
            }
        }
        func text(_ font: String, _ further: String = "") -> File {
            let type = "/Type /Font /Subtype /Type1 /BaseFont /\(font) \(further)"
            return page(font, "0 g BT /F 30 Tf 5 40 Td (Sphinx 123) Tj ET", "/Font << /F << \(type) >> >>")
        }
        let fonts = ["Times-Italic", "Courier-Bold", "Symbol", "ZapfDingbats", "MissingSans"].map { text($0) }
        let photo: @Sendable () throws -> Data = {
            let jpeg = try ImageCodersManager(coders: SandboxProfile.basic.coders).encode(
                gradient(width: 64, height: 48), format: .jpeg, options: EncodingOptions())
            let digits = jpeg.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let image = "BI /W 64 /H 48 /CS /RGB /BPC 8 /F [/AHx /DCT] ID \(digits)> EI"
            return PDFBytes(pages: [.init(content: "q 200 0 0 100 0 0 cm \(image) Q")]).data
        }
        return fonts + [
            // Without the document's own font there is nothing to draw it with, locked or not.
            page(
                "Chinese", "BT /F 30 Tf 5 40 Td <4E2D6587> Tj ET",
                "/Font << /F << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts "
                    + "[<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) "
                    + "/Ordering (GB1) /Supplement 2 >> >>] >> >>"),
            page(
                "shading", "/S sh",
                "/Shading << /S << /ShadingType 3 /ColorSpace /DeviceRGB /Coords [50 50 0 100 50 90] /Extend [true true] "
                    + "/Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1.7 >> >> >>"),
            page(
                "blending", "0 0.6 0 rg 0 0 150 70 re f /G gs 1 0.5 0 rg 50 20 150 80 re f",
                "/ExtGState << /G << /ca 0.6 /BM /ColorBurn >> >>"),
            File(format: .pdf, name: "photo", data: photo),
        ]
    }

    private static var animations: [File] {
        func animation(_ name: String, _ shape: String, assets: String = "", layer: String = "") -> File {
            File(format: .lottie, name: name) {
                Data(
                    """
                    {"v":"5.7.0","fr":20,"ip":0,"op":10,"w":64,"h":32,"assets":[\(assets)],"layers":[\(layer){"ty":4,\
                    "ip":0,"op":10,"st":0,"ks":{"o":{"k":100},"r":{"k":20},"p":{"k":[30,16]},"a":{"k":[0,0]},"s":{"k":[100,100]}},\
                    "shapes":[{"ty":"gr","it":[\(shape),{"ty":"tr","p":{"k":[0,0]},"a":{"k":[0,0]},"s":{"k":[100,100]},\
                    "r":{"k":0},"o":{"k":100}}]}]}]}
                    """.utf8)
            }
        }
        let fill = #"{"ty":"fl","c":{"k":[0.2,0.6,1,1]},"o":{"k":70}}"#
        let picture = SandboxSampleFiles.data(.jpeg)?.base64EncodedString() ?? ""
        return [
            animation(
                "star",
                #"{"ty":"sr","sy":1,"p":{"k":[0,0]},"r":{"k":9},"pt":{"k":5},"ir":{"k":5},"or":{"k":14},"is":{"k":0},"os":{"k":0}},"#
                    + fill),
            animation(
                "gradient",
                #"{"ty":"el","p":{"k":[0,0]},"s":{"k":[40,24]}},{"ty":"gf","t":2,"s":{"k":[0,0]},"e":{"k":[20,0]},"o":{"k":100},"#
                    + #""g":{"p":2,"k":{"k":[0,1,0,0,1,0,0,1]}}}"#),
            animation(
                "stroke",
                #"{"ty":"el","p":{"k":[0,0]},"s":{"k":[30,20]}},{"ty":"st","c":{"k":[1,0,0,1]},"o":{"k":100},"w":{"k":3},"lc":2,"lj":2}"#
            ),
            animation(
                "picture", #"{"ty":"rc","p":{"k":[0,0]},"s":{"k":[8,8]},"r":{"k":2}},"# + fill,
                assets: #"{"id":"a","w":24,"h":24,"u":"","p":"data:image/jpeg;base64,\#(picture)","e":1}"#,
                layer:
                    #"{"ty":2,"refId":"a","ip":0,"op":10,"st":0,"ks":{"o":{"k":80},"r":{"k":0},"p":{"k":[40,16]},"a":{"k":[12,12]},"s":{"k":[100,100]}}},"#
            ),
        ]
    }

    private static var sensors: [File] {
        [1, 3, 6, 8].map { orientation in
            File(format: .raw, name: "\(orientation)") {
                var file = DNGFile(width: 90, height: 60) { x, y in (Double(x) / 90, Double(y) / 60, 0.3) }
                file.orientation = orientation
                if orientation == 6 {
                    file.preview = try ImageCodersManager(coders: SandboxProfile.basic.coders).encode(
                        gradient(width: 90, height: 60), format: .jpeg, options: EncodingOptions())
                }
                return file.data
            }
        }
    }

    private static var levels: [File] {
        guard VideoSample.isThere else { return [] }
        return ["rgb24", "gray", "rgb48", "yuv420p", "rgba"].map { layout in
            let sample = VideoSample(
                "jp2", "-frames:v 1 -c:v jpeg2000 -pix_fmt \(layout)", source: "testsrc2=size=160x120:rate=1:duration=1"
            )
            return File(format: .jpeg2000, name: layout) { try sample.data }
        }
    }

    private static var choices: [DecodingOptions] {
        var thumbnail = DecodingOptions()
        thumbnail.thumbnailPixelSize = PixelSize(width: 40, height: 40)
        var large = DecodingOptions()
        large.thumbnailPixelSize = PixelSize(width: 300, height: 300)
        large.pixelFormat = .rgba8
        var deep = DecodingOptions()
        deep.pixelFormat = .rgba16
        return [DecodingOptions(), thumbnail, large, deep]
    }

    /// What became of a file: the pixels, or the code and text of the error.
    private enum Outcome: Equatable {
        case picture(PixelSize, Data)
        case failure(WebImageError.Code?, String)

        init(_ decode: () throws -> Image) {
            do {
                let image = try decode()
                self = .picture(image.pixelSize, rows(image))
            } catch let error as WebImageError {
                self = .failure(error.code, "\(error.underlying.map { "\($0)" } ?? "")")
            } catch {
                self = .failure(nil, "\(error)")
            }
        }

        var isPicture: Bool { if case .picture = self { true } else { false } }
        /// Without the bytes, which a failed test would print.
        var text: String {
            switch self {
            case .picture(let size, let bytes): "\(size), hash \(bytes.hashValue)"
            case .failure(let code, let text): "\(code.map { "\($0)" } ?? "") \(text)"
            }
        }
    }

    /// A function, because a failed comparison of two pictures would be explained byte by byte, which takes minutes.
    private static func areEqual(_ left: Outcome, _ right: Outcome) -> Bool { left == right }

    /// Pixel by pixel. Some libraries draw less without an error where they may not open a file.
    @Test(arguments: files) func picturesAreEqualToThoseOfThisProcess(file: File) throws {
        let (data, coder) = (try file.data(), try file.coder())
        let worker = try SandboxWorker(try #require(SandboxProfile(file.format)))
        for (index, options) in Self.choices.enumerated() {
            let here = Outcome { try coder.decode(data, options: options) }
            let there = Outcome { try worker.decode(data, options: options) }
            #expect(Self.areEqual(here, there), "options \(index): \(there.text) instead of \(here.text)")
            #expect(here.isPicture, "options \(index): \(here.text)")
        }
        #expect(worker.isUsable)
    }

    /// Every frame of an animation, in another order.
    @Test(arguments: files.filter { $0.format == .lottie }) func framesAreEqual(file: File) throws {
        let data = try file.data()
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let coder = try SandboxProfile.threads.workerCoder(of: data)
        let there = try SandboxAnimation(data, pool: pool, coder: coder, options: DecodingOptions())
        let here = try #require(
            try ImageCodersManager(coders: [file.coder()]).animation(of: data, options: DecodingOptions()))
        #expect(there.facts.frameCount == 10 && here.animatedImageFrameCount == 10)
        for index in [9, 0, 4, 3] {
            let (left, right) = (
                Outcome { try there.frame(at: index) }, Outcome { try here.frame(at: index) }
            )
            #expect(Self.areEqual(left, right) && left.isPicture, "\(index): \(left.text) instead of \(right.text)")
        }
    }

    @Test func eachPageHasItsOwnSize() throws {
        guard PDFium.isThere else { return }
        let sizes = [(200, 100), (40, 30), (10, 300)]
        let pages = sizes.map { width, height in
            PDFBytes.Page(content: "0 1 0 rg 0 0 \(width) \(height) re f", width: width, height: height)
        }
        let data = PDFBytes(pages: pages).data
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let profile = try #require(SandboxProfile(.pdf))
        let coder = try profile.workerCoder(of: data)
        let opened = try SandboxAnimation(data, pool: pool, coder: coder, options: DecodingOptions())
        let decoded = try SandboxAnimation.decode(data, pool: pool, coder: coder, options: DecodingOptions()).animation
        for animation in [opened, decoded].compactMap({ $0 }) {
            for index in [2, 0, 1] {
                let size = try animation.frame(at: index).pixelSize
                #expect(size == PixelSize(width: sizes[index].0, height: sizes[index].1))
            }
        }
    }

    /// The small files of the worker's start, cut off at every length: the same picture or the same error as here.
    @Test(arguments: [ImageFormat.pdf, .lottie, .raw, .jpeg2000, .video]) func filesCutAtEveryLength(
        format: ImageFormat
    ) throws {
        if format == .pdf, !PDFium.isThere { return }
        let data = try #require(SandboxSampleFiles.data(format))
        let profile = try #require(SandboxProfile(format))
        let type = try #require(profile.types.first { $0.formats.contains(format) })
        let worker = try SandboxWorker(profile)
        var options = DecodingOptions()
        options.firstFrameOnly = true
        var pictures = 0
        for count in 0...data.count {
            let cut = data.prefix(count)
            let there = Outcome { try worker.image(type.workerCoder.request(.decode, options), .data(cut)).image }
            // The worker looks at the first bytes before the coder does.
            guard type.shared.canDecode(from: cut) else {
                #expect(!there.isPicture)
                continue
            }
            let here = Outcome { try type.shared.decode(cut, options: options) }
            #expect(Self.areEqual(here, there), "\(count): \(there.text) instead of \(here.text)")
            if case .failure(let code, let text) = there {
                #expect(code == .badImageData || code == .unsupportedFormat, "\(count): \(there.text) \(text)")
            }
            pictures += there.isPicture ? 1 : 0
        }
        #expect(pictures > 0 && pictures < data.count / 2 && worker.isUsable)
    }

    /// What an attacker could try after a file has taken over its decoder.
    @Test(arguments: [ImageFormat.pdf, .lottie, .raw, .jpeg2000]) func attemptsAreRefusedAfterAPicture(
        format: ImageFormat
    ) throws {
        let file = try #require(Self.files.first { $0.format == format })
        try Attempts.expectRefusals(after: try file.data(), try #require(SandboxProfile(format)))
    }

    /// What an attacker could try after a web page has taken over its parser.
    @Test func attemptsAreRefusedAfterAPage() throws {
        let page = Data("<title>日本</title><meta property=og:image content=a.png>".utf8)
        try Attempts.expectRefusals(.pages) { worker in
            // The name of the character set has no bytes.
            let answer = try worker.payload(SandboxRequest(.page), .data([0] + page), mostBytes: 1 << 20)
            for value in ["日本", "a.png"] { #expect(answer.range(of: Data(value.utf8)) != nil) }
        }
    }
}
