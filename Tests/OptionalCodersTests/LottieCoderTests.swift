import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageLottie
import WebImageTesting

/// Draws small documents, which the tests write: a red square that moves to the right by one pixel with each frame.
struct LottieCoderTests {
    private static func document(
        start: Double = 0, end: Double = 10, rate: Double = 20, assets: String = "[]", tail: String = ""
    ) -> Data {
        Data(
            """
            {"v":"5.7.0","fr":\(rate),"ip":\(start),"op":\(end),"w":64,"h":32,"assets":\(assets),"layers":[{"ty":4,\
            "ip":\(start),"op":\(end),"st":0,"ks":{"o":{"k":100},"r":{"k":0},"p":{"a":1,"k":[{"t":0,"s":[8,16],\
            "e":[18,16],"i":{"x":1,"y":1},"o":{"x":0,"y":0}},{"t":10,"s":[18,16]}]},"a":{"k":[0,0]},"s":{"k":[100,100]}},\
            "shapes":[{"ty":"gr","it":[{"ty":"rc","p":{"k":[0,0]},"s":{"k":[8,8]},"r":{"k":0}},{"ty":"fl",\
            "c":{"k":[1,0,0,1]},"o":{"k":100}},{"ty":"tr","p":{"k":[0,0]},"a":{"k":[0,0]},"s":{"k":[100,100]},"r":{"k":0},\
            "o":{"k":100}}]}]}]\(tail)}
            """.utf8)
    }

    /// The columns of the row in the middle that are red.
    private static func red(_ image: Image) -> Range<Int> {
        let pixels = image.pixels
        let columns = pixels.withUnsafeBytes { bytes in
            (0..<pixels.width).filter { x in
                let at = pixels.height / 2 * pixels.bytesPerRow + x * 4
                return bytes[at] > 128 && bytes[at + 3] > 128
            }
        }
        return (columns.first ?? 0)..<((columns.last ?? -1) + 1)
    }

    private static func options(_ box: Int? = nil) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.thumbnailPixelSize = box.map { PixelSize(width: $0, height: $0) }
        return options
    }

    @Test func framesAreDrawnInEveryOrder() throws {
        let coder = try ImageLottieCoder(animation: Self.document(), options: Self.options())
        #expect(coder.animatedImageFrameCount == 10 && coder.animatedImageLoopCount == 0)
        for index in [0, 5, 9, 1, 5] {
            #expect(try Self.red(coder.frame(at: index)) == (4 + index)..<(12 + index))
            #expect(abs(coder.animatedImageDuration(at: index) - 0.05) < 1e-9)
        }
        #expect(throws: WebImageError.self) { try coder.frame(at: 10) }
    }

    @Test(arguments: [16, 640]) func framesAreSharpAtEverySize(box: Int) throws {
        let image = try ImageLottieCoder.shared.decode(Self.document(), options: Self.options(box))
        #expect(image.pixels.width == box && image.pixels.height == box / 2)
        let factor = Double(box) / 64
        #expect(Self.red(image) == Int(4 * factor)..<Int(12 * factor))
        #expect(image.isAnimated && image.isVector && image.hasAlpha)
    }

    /// The number of frames and their time, which rlottie 0.1 and 0.2 count in two other ways.
    @Test(arguments: [
        (0.0, 60.0, 60.0, 60, 1.0), (0.0, 1.0, 60.0, 1, 1.0 / 60), (0.0, 59.5, 29.97, 60, 59.5 / 29.97),
        (10.0, 20.0, 5.0, 10, 2.0),
    ])
    func timeIsThatOfTheDocument(start: Double, end: Double, rate: Double, count: Int, seconds: Double) throws {
        let data = Self.document(start: start, end: end, rate: rate)
        let info = try ImageLottieCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.frameCount == count && info.storedSize == PixelSize(width: 64, height: 32))
        #expect(abs(info.delaysMilliseconds.reduce(0, +) / 1000 - seconds) < 1e-9)
        let coder = try ImageLottieCoder(animation: data, options: Self.options())
        _ = try coder.frame(at: count - 1)
    }

    /// The same document, compressed as a sticker, and in an archive.
    @Test func compressedDocumentsAreRead() throws {
        let plain = try Self.red(ImageLottieCoder.shared.decode(Self.document(), options: Self.options()))
        for data in [Packed.gzip, Packed.archive] {
            #expect(ImageLottieCoder.shared.canDecode(from: data))
            let image = try ImageLottieCoder.shared.decode(data, options: Self.options())
            #expect(Self.red(image) == plain && image.pixels.width == 64)
            for count in stride(from: 0, to: data.count - 1, by: 11) {
                #expect(throws: WebImageError.self) {
                    try ImageLottieCoder.shared.decode(data.prefix(count), options: Self.options())
                }
            }
        }
    }

    /// rlottie would open the files that a document names, wherever they are.
    @Test(arguments: [
        #"[{"id":"a","w":1,"h":1,"u":"/etc/","p":"passwd","e":0}]"#, #"[{"id":"a","u":"../","p":"data:x","e":1}]"#,
        #"[{"id":"a","u":"","p":"x.png"}]"#, #"[{"id":"a","u":"","\u0070":"x.png"}]"#,
        #"[{"id":"a","layers":[{"nm":"]}\"]}","ks":{}}],"u":"","p":"x.png"}]"#, #"{"a":{"u":"","p":"x.png"}}"#,
        #"[{"id":"b"},{"p":"x.png"}]"#, #"[],"markers":[{"cm":"\\"}],"assets":[{"p":"x.png"}]"#,
    ])
    func otherFilesAreNotShown(assets: String) {
        let error = #expect(throws: WebImageError.self) {
            try ImageLottieCoder.shared.decode(Self.document(assets: assets), options: Self.options())
        }
        #expect(error?.code == .badImageData)
    }

    @Test func picturesInsideAreShown() throws {
        let image = try Image.generated(width: 4, height: 4) { _, _ in (255, 0, 0, 255) }
        let png = try ImagePNGCoder.shared.encode(image, format: .png, options: EncodingOptions())
        let asset =
            "[{\"id\":\"a\",\"w\":4,\"h\":4,\"u\":\"\",\"p\":\"data:image/png;base64,\(png.base64EncodedString())\",\"e\":1}]"
        let text = String(decoding: Self.document(assets: asset), as: UTF8.self).replacing(
            "\"layers\":[",
            with:
                "\"layers\":[{\"ty\":2,\"refId\":\"a\",\"ip\":0,\"op\":10,\"st\":0,\"ks\":{\"o\":{\"k\":100},\"r\":{\"k\":0},"
                + "\"p\":{\"k\":[40,16]},\"a\":{\"k\":[2,2]},\"s\":{\"k\":[100,100]}}},")
        let pixels = try ImageLottieCoder.shared.decode(Data(text.utf8), options: Self.options()).pixels
        #expect(pixels.withUnsafeBytes { $0[16 * pixels.bytesPerRow + 40 * 4 + 2] } == 255)
    }

    /// Strings of a document can have the bytes that divide it. What is in layers is not taken for what is in assets.
    @Test func otherNamesAndTextsAreNoMatter() throws {
        let plain = try Self.red(ImageLottieCoder.shared.decode(Self.document(), options: Self.options()))
        let others =
            #","others":[{"cm":"\"]}{[\\","p":"x","u":"/etc/","\u0070":[{"p":"../y"}],"tm":-1.5e0,"dr":null}]"#
        let document = Self.document(assets: #"[{"id":"b","layers":[{"p":"z","nm":"{"}]}]"#, tail: others)
        let image = try ImageLottieCoder.shared.decode(document, options: Self.options())
        #expect(Self.red(image) == plain && image.pixels.width == 64)
    }

    /// rlottie alone would not turn the layer, because `ddd` is not written.
    @Test(arguments: ["{", "{\"ddd\":0,", "{\n \"ddd\":1,\"ddd\":0,"]) func layersAreTurned(start: String) throws {
        let text = String(decoding: Self.document(), as: UTF8.self)
            .replacing("\"s\":{\"k\":[8,8]}", with: "\"s\":{\"k\":[8,24]}")
            .replacing("\"r\":{\"k\":0},\"p\":{\"a\":1", with: "\"r\":{\"k\":90},\"p\":{\"a\":1")
            .replacing("\"layers\":[{", with: "\"layers\":[{},\(start)")
        let inside = text.replacing("\"assets\":[]", with: "\"assets\":[{\"id\":\"a\",\"layers\":[")
            .replacing(",\"layers\":[{},", with: "").replacing(
                "}]}]}]}",
                with:
                    "}]}]}]}],\"layers\":[{\"ty\":0,\"refId\":\"a\",\"w\":64,\"h\":32,\"ip\":0,\"op\":10,\"st\":0,\"ks\":{\"p\":{\"k\":[0,0]}}}]}"
            )
        for text in [text, inside] {
            let image = try ImageLottieCoder.shared.decode(Data(text.utf8), options: Self.options())
            #expect(Self.red(image) == 0..<20)
        }
    }

    /// What rlottie draws otherwise than ThorVG, from which the expected columns are. A red rectangle covers the columns 4 to 36
    /// of 40; a mask, a matte, a group or a dash takes a part of it.
    @Test(arguments: [
        Part(
            "a mask of the mode none", #"{\#(Part.box),"masksProperties":[\#(Part.mask("n"))],"hasMask":true}"#, 4..<36),
        Part(
            "two masks", #"{\#(Part.box),"masksProperties":[\#(Part.mask("n")), \#(Part.mask("a"))],"hasMask":true}"#,
            4..<20),
        Part("a mask", #"{\#(Part.box),"hasMask":true,"masksProperties":[\#(Part.mask("a"))]}"#, 4..<20),
        Part(
            "a hidden group",
            #"{\#(Part.layer),"shapes":[{"hd": true,"ty":"gr","it":[\#(Part.paint)]},\#(Part.small)]}"#, 8..<16),
        Part(
            "a hidden inner group",
            #"{\#(Part.layer),"shapes":[{"ty":"gr","it":[\#(Part.small),{"ty":"gr","it":[\#(Part.paint)],"hd":true},\#(Part.end)]}]}"#,
            8..<16),
        Part("a shown group", #"{\#(Part.layer),"shapes":[{"ty":"gr","hd":false,"it":[\#(Part.paint)]}]}"#, 4..<36),
        Part("a mask that lightens", #"{\#(Part.box),"masksProperties":[\#(Part.mask("l"))],"hasMask":true}"#, 4..<20),
        Part("a mask that darkens", #"{\#(Part.box),"masksProperties":[\#(Part.mask("d"))],"hasMask":true}"#, 4..<20),
        Part("an angle in a list", #"{\#(Part.turned("\"k\":[180]"))}"#, 4..<36),
        Part("an angle", #"{\#(Part.turned("\"k\":180"))}"#, 4..<36),
        Part("a matte", #"{\#(Part.left),"td":1},{\#(Part.box),"tt":1}"#, 4..<20),
        Part("an inverted matte", #"{\#(Part.left),"td":1},{\#(Part.box),"tt":2}"#, 20..<36),
        Part(
            "a matte by its index",
            #"{\#(Part.left),"ind":7,"td":1},{\#(Part.layer),"ind":8},{\#(Part.box),"tt":1,"tp":7}"#, 4..<20),
        Part("a matte below", #"{\#(Part.box),"ind":1,"tt":1,"tp":2},{\#(Part.left),"ind":2,"td":1}"#, 4..<20),
        Part("a matte that is shown too", #"{\#(Part.box),"ind":1,"tt":2,"tp":2},{\#(Part.left),"ind":2}"#, 0..<36),
        Part(
            "a matte for two",
            #"{\#(Part.left),"ind":1,"td":1},{\#(Part.box),"tt":1,"tp":1},{\#(Part.box),"tt":1,"tp":1}"#, 4..<20),
        Part(
            "a dash",
            #"{\#(Part.layer),"shapes":[{"ty":"gr","it":[\#(Part.line),\#(Part.stroke),"lc":1,"d":[{"n":"d","v":{"k":16}},{"n":"g","v":{"k":40}}]},\#(Part.end)]}]}"#,
            4..<20),
        Part(
            "a dot",
            #"{\#(Part.layer),"shapes":[{"ty":"gr","it":[\#(Part.line),\#(Part.stroke),"lc":2,"d":[{"n":"d","v":{"k":0}},{"n":"g","v":{"k":90}}]},\#(Part.end)]}]}"#,
            0..<8),
    ])
    func partsAreDrawnAsByOtherRenderers(part: Part) throws {
        let text = #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":40,"h":20,"assets":[],"layers":[\#(part.layers)]}"#
        let nested =
            #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":40,"h":20,"layers":[{"ty":0,"refId":"c","w":40,"h":20,"#
            + #""ip":0,"op":10,"st":0,"ks":{"p":{"k":[0,0]}}}],"assets":[{"id":"c","layers":[\#(part.layers)]}]}"#
        for text in [text, nested] {
            let image = try ImageLottieCoder.shared.decode(Data(text.utf8), options: Self.options())
            #expect(Self.red(image) == part.columns, "\(text)")
        }
    }

    /// rlottie plays a composition whose time is a constant.
    @Test(arguments: [#"{"a":0,"k":0.25}"#, #"{"a":0,"k":[0.25]}"#, #"{"a":1,"k":[{"t":0,"s":[0.25]}]}"#])
    func constantTimesStandStill(time: String) throws {
        let inner = String(decoding: Self.document(), as: UTF8.self)
        let layers = inner[inner.range(of: "\"layers\":")!.lowerBound...].dropLast()
        let text =
            #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":64,"h":32,"assets":[{"id":"c",\#(layers)}],"layers":[{"ty":0,"#
            + #""refId":"c","w":64,"h":32,"ip":0,"op":10,"st":0,"ks":{"p":{"k":[0,0]}},"tm":\#(time)}]}"#
        let coder = try ImageLottieCoder(animation: Data(text.utf8), options: Self.options())
        for index in [0, 3, 9] {
            #expect(try Self.red(coder.frame(at: index)) == 9..<17)
        }
    }

    /// Blue on red in a layer of half opacity: no red shines through. The layer also has a mask, and starts early.
    @Test(
        arguments: [
            #""ip":0,"op":10,"st":0"#, #""ip":0,"op":10,"st":-7,"sr":1"#,
            #""ip":0,"op":10,"st":0,"hasMask":true,"masksProperties":[\#(Part.mask("a"))]"#,
        ],
        [
            #""o":{"k":50}"#,
            #""o":{"a":1,"k":[{"t":0,"s":[50],"i":{"x":[1],"y":[1]},"o":{"x":[0],"y":[0]}},{"t":9,"s":[50]}]}"#,
        ])
    func layersAreTranslucentAsAWhole(members: String, opacity: String) throws {
        let blue = Part.small.replacing("[1,0,0,1]", with: "[0,0,1,1]")
        let layer =
            #"{"ty":4,\#(members),"ks":{"p":{"k":[2,0]},\#(opacity)},"shapes":[\#(blue),"#
            + #"{"ty":"gr","it":[\#(Part.paint)]}]}"#
        let text =
            #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":40,"h":20,"assets":[],"layers":["# + layer + "]}"
        let pixels = try ImageLottieCoder.shared.decode(Data(text.utf8), options: Self.options()).pixels
        let row = pixels.withUnsafeBytes { Array($0[(10 * pixels.bytesPerRow)...].prefix(40 * 4)) }
        let near = { (x: Int, color: [Int]) in zip(row[(x * 4)...], color).allSatisfy { abs(Int($0) - $1) <= 2 } }
        #expect(near(14, [0, 0, 255, 127]) && near(8, [255, 0, 0, 127]), "\(row[32..<60])")
        #expect(near(30, members.contains("mask") ? [0, 0, 0, 0] : [255, 0, 0, 127]))
    }

    /// The matte is drawn as a layer, as rlottie alone draws it, if its copies would make the document much longer.
    @Test(arguments: [(10, 20), (1000, 0)]) func mattesAreNotCopiedWithoutEnd(count: Int, start: Int) throws {
        let name = String(repeating: "n", count: 10 * count)
        let source = #"{\#(Part.left),"ind":1,"td":1,"nm":"\#(name)"}"#
        let target = #",{\#(Part.layer),"ind":9},{\#(Part.box),"tt":2,"tp":1}"#
        let layers = source + String(repeating: target, count: count)
        let text = #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":40,"h":20,"layers":[\#(layers)]}"#
        let image = try ImageLottieCoder.shared.decode(Data(text.utf8), options: Self.options())
        #expect(Self.red(image).lowerBound == start)
    }

    struct Part: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let layers: String
        let columns: Range<Int>

        init(_ name: String, _ layers: String, _ columns: Range<Int>) {
            (testDescription, self.layers, self.columns) = (name, layers, columns)
        }

        static let layer = #""ty":4,"ip":0,"op":10,"st":0,"ks":{"p":{"k":[0,0]}}"#
        static let end = #"{"ty":"tr","p":{"k":[0,0]},"a":{"k":[0,0]},"s":{"k":[100,100]},"r":{"k":0},"o":{"k":100}}"#
        static let fill = #"{"ty":"fl","c":{"k":[1,0,0,1]},"o":{"k":100}}"#
        static let paint = #"{"ty":"rc","p":{"k":[20,10]},"s":{"k":[32,12]},"r":{"k":0}},\#(fill),\#(end)"#
        static let small =
            #"{"ty":"gr","it":[{"ty":"rc","p":{"k":[12,10]},"s":{"k":[8,12]},"r":{"k":0}},\#(fill),\#(end)]}"#
        static let box = #"\#(layer),"shapes":[{"ty":"gr","it":[\#(paint)]}]"#
        static let left =
            #"\#(layer),"shapes":[{"ty":"gr","it":[{"ty":"rc","p":{"k":[10,10]},"s":{"k":[20,20]},"#
            + #""r":{"k":0}},\#(fill),\#(end)]}]"#
        static let line =
            #"{"ty":"sh","ks":{"k":{"c":false,"v":[[4,10],[40,10]],"i":[[0,0],[0,0]],"o":[[0,0],[0,0]]}}}"#
        static let stroke = #"{"ty":"st","c":{"k":[1,0,0,1]},"o":{"k":100},"w":{"k":8},"lj":1"#

        static func turned(_ angle: String) -> String {
            box.replacing("\"ks\":{", with: "\"ks\":{\"a\":{\"k\":[20,10]},\"r\":{\(angle)},")
                .replacing("\"p\":{\"k\":[0,0]}}", with: "\"p\":{\"k\":[20,10]}}")
        }

        static func mask(_ mode: String) -> String {
            #"{"mode": "\#(mode)","inv":false,"pt":{"a":0,"k":{"c":true,"v":[[0,0],[20,0],[20,20],[0,20]],"#
                + #""i":[[0,0],[0,0],[0,0],[0,0]],"o":[[0,0],[0,0],[0,0],[0,0]]}},"o":{"a":0,"k":100},"x":{"a":0,"k":0}}"#
        }
    }

    /// Only the last of many lists of masks counts, and is written once: 4,000 copies of it would have 320 MB.
    @Test func manyListsOfMasksStaySmall() throws {
        let mask = #"{"mode":"a","pt":{"a":0,"k":{"c":true,"v":[[0,0],[40,0],[40,20],[0,20]]}},"o":{"a":0,"k":100}}"#
        let masks = "[" + Array(repeating: mask, count: 800).joined(separator: ",") + "]"
        let members = String(repeating: #""masksProperties":0,"#, count: 4_000) + #""masksProperties":\#(masks)"#
        let text =
            #"{"v":"5.7.0","fr":20,"ip":0,"op":10,"w":40,"h":20,"layers":[{\#(Part.box),"hasMask":true,"tm":{"k":0},\#(members)}]}"#
        let time = ContinuousClock().measure {
            _ = try? ImageLottieCoder.shared.decode(Data(text.utf8), options: Self.options())
        }
        #expect(time < .seconds(10))
    }

    /// The information ends where all is known, wherever that is.
    @Test func informationIsReadFromTheStart() throws {
        let whole = Self.document()
        let start = whole.range(of: Data("assets".utf8))!.lowerBound
        let info = try ImageLottieCoder.shared.imageInfo(of: whole.prefix(start), limits: DecodingLimits())
        #expect(info.storedSize == PixelSize(width: 64, height: 32) && info.frameCount == 10)
        #expect(throws: WebImageError.self) {
            try ImageLottieCoder.shared.imageInfo(of: whole.prefix(start - 5), limits: DecodingLimits())
        }
        let late = Data(#"{"layers":[{"w":9,"h":9}],"assets":[{"w":8}],"h":7,"w":6,"fr":5,"op":4,"ip":2}"#.utf8)
        let other = try ImageLottieCoder.shared.imageInfo(of: late, limits: DecodingLimits())
        #expect(other.storedSize == PixelSize(width: 6, height: 7) && other.frameCount == 2)
    }

    @Test func damagedDocumentsAreErrors() {
        let whole = Self.document()
        for count in stride(from: 0, to: whole.count, by: 13) {
            #expect(throws: WebImageError.self) {
                try ImageLottieCoder.shared.decode(whole.prefix(count), options: Self.options())
            }
        }
        let nested = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        for data in [
            Self.document(rate: 0), Self.document(start: 10, end: 10), Self.document(end: 1e9),
            Self.document(tail: ",\"x\":\(nested)"), Self.document(tail: ",\"w\":9"), Self.document(tail: ",\"op\":3"),
        ] {
            #expect(throws: WebImageError.self) { try ImageLottieCoder.shared.decode(data, options: Self.options()) }
        }
    }

    @Test func otherDocumentsAreNotRecognised() {
        for text in ["{}", "{\"v\":1,\"w\":2}", "PK\u{3}\u{4} a document of another program", "[1,2]"] {
            #expect(!ImageLottieCoder.shared.canDecode(from: Data(text.utf8)))
        }
        #expect(ImageFormat(sniffing: Self.document()) == .lottie)
    }

    @Test func limitsAreChecked() {
        var options = Self.options(4000)
        options.limits.maxPixels = 1_000_000
        let error = #expect(throws: WebImageError.self) {
            try ImageLottieCoder.shared.decode(Self.document(), options: options)
        }
        #expect(error?.code == .limitExceeded)
        options = Self.options()
        options.limits.maxFrameCount = 9
        #expect(throws: WebImageError.self) { try ImageLottieCoder.shared.decode(Self.document(), options: options) }
    }

    /// The document of the tests, compressed by gzip and by a ZIP archive.
    private enum Packed {
        static let gzip = Data(
            base64Encoded: """
                H4sIAAAAAAAC/4VQWwrDIBC8y3wvQfsMXqX4ISVtQgsJKm1D8O7dtTYlECiizI47s48JDxjsq2OlQLh4mI2qFKEbYDLoGeiMnjCH\
                HaGF2W4ILoQmBpiTJdzd2HjBE+IIs1uVh8gU4cZ5E3p5bvKlEsGXSPAg2PEPCSOOWSbuNekDV2sY6oI7yX7lbC6sWd8XRmVGpUTZ\
                QhePjzBZznSl6kmRkjh8Y26K+NokZOuG5jcarp7X1MUf4c8oTa9Z1VTbxYC5HdFd7qw7zyWJlaTtd4Cymjk7+pUq/wdYrnbhbPN5\
                A/azkCT/AQAA
                """)!
        static let archive = Data(
            base64Encoded: """
                UEsDBBQAAAAAAAAAIVzwdCePLQAAAC0AAAANAAAAbWFuaWZlc3QuanNvbnsidmVyc2lvbiI6IjEuMCIsImFuaW1hdGlvbnMiOlt7\
                ImlkIjoib25lIn1dfVBLAwQUAAAACAAAACFc9rOQJNgAAAD/AQAAEwAAAGFuaW1hdGlvbnMvb25lLmpzb26FUFsKwyAQvMt8L0H7\
                DF6l+CElbUILCSptQ/Du3bU2JRAoosyOO7OPCQ8Y7KtjpUC4eJiNqhShG2Ay6BnojJ4whx2hhdluCC6EJgaYkyXc3dh4wRPiCLNb\
                lYfIFOHGeRN6eW7ypRLBl0jwINjxDwkjjlkm7jXpA1drGOqCO8l+5WwurFnfF0ZlRqVE2UIXj48wWc50pepJkZI4fGNuivjaJGTr\
                huY3Gq6e19TFH+HPKE2vWdVU28WAuR3RXe6sO88liZWk7XeAspo5O/qVKv8HWK524WzzeQNQSwECFAMUAAAAAAAAACFc8HQnjy0A\
                AAAtAAAADQAAAAAAAAAAAAAAgAEAAAAAbWFuaWZlc3QuanNvblBLAQIUAxQAAAAIAAAAIVz2s5Ak2AAAAP8BAAATAAAAAAAAAAAA\
                AACAAVgAAABhbmltYXRpb25zL29uZS5qc29uUEsFBgAAAAACAAIAfAAAAGEBAAAAAA==
                """)!
    }
}
