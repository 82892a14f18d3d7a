import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageServerTesting
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageViews

@testable import WebImageCLI

/// Every file gives the same verdict and the same pixels on every path: a decode in this process and in a decoder
/// process, `convert`, `thumbnail`, `load` and the service, each with and without the sandbox, and a view.
///
/// The files are those of the conformance folder and generated ones. A part of the conformance files is compared; with
/// `WEBIMAGE_LONG` in the environment, all of them. `WEBIMAGE_PICTURES` names a folder with further files.
@Suite(.serialized, .timeLimit(minutes: 20))
struct EveryPathTests {
    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil
    private let scratch: ScratchFolder
    private let names: [String]

    init() throws {
        scratch = try ScratchFolder()
        let folder = scratch.url.appendingPathComponent("in")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var names: [String] = []
        for (name, data) in try Self.generated() + Self.conformance() + Self.named() {
            // A number makes the names different without their extension.
            let place = "\(names.count)-\(name)"
            try data.write(to: folder.appendingPathComponent(place))
            names.append(place)
        }
        self.names = names
    }

    // MARK: Files

    private static func conformance() throws -> [(String, Data)] {
        let named = ProcessInfo.processInfo.environment["WEBIMAGE_CONFORMANCE"].map { URL(fileURLWithPath: $0) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = named ?? package.deletingLastPathComponent().appendingPathComponent("shared/conformance")
        guard let manifest = try? Data(contentsOf: folder.appendingPathComponent("manifest.json")),
            let entries = try JSONSerialization.jsonObject(with: manifest) as? [[String: Any]]
        else { return [] }
        let paths = entries.filter { $0["role"] as? String != "reference" }.compactMap { $0["path"] as? String }
        let step = isLong ? 1 : 16
        return try stride(from: 0, to: paths.count, by: step).compactMap { index in
            let file = folder.appendingPathComponent(paths[index])
            let data = try Data(contentsOf: file)
            // Large pictures take the time of many small ones, and their size is no matter of the path.
            return data.count > 2 << 20 ? nil : (file.lastPathComponent, data)
        }
    }

    /// The files in the folder that `WEBIMAGE_PICTURES` names, if it is set.
    private static func named() throws -> [(String, Data)] {
        guard let path = ProcessInfo.processInfo.environment["WEBIMAGE_PICTURES"] else { return [] }
        let files = try FileManager.default.contentsOfDirectory(
            at: URL(fileURLWithPath: path), includingPropertiesForKeys: [.isRegularFileKey])
        return try files.filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
            .map { ($0.lastPathComponent, try Data(contentsOf: $0)) }
    }

    /// Files of every format that is written, files of the ways to declare colours, files of pages, and the same files
    /// damaged.
    private static func generated() throws -> [(String, Data)] {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + OptionalCoders.all)
        var files: [(String, Data)] = []
        for hasAlpha in [false, true] {
            let image = try Image.generated(width: 45, height: 31) { x, y in
                (UInt8(x * 5), UInt8(y * 8), UInt8((x * y) % 256), hasAlpha ? UInt8((x * 11 + y * 3) % 256) : 255)
            }
            for format in [ImageFormat.png, .jpeg, .webP, .gif, .bmp, .ico, .tiff, .avif, .jpegXL] {
                if hasAlpha, format == .jpeg { continue }
                let data = try coders.encode(image, format: format, options: EncodingOptions())
                let name = "\(hasAlpha ? "alpha" : "plain").\(format.name ?? "")"
                files.append((name, data))
                files += [
                    ("half-\(name)", data.prefix(data.count / 2)), ("short-\(name)", data.dropLast(3)),
                    ("long-\(name)", data + Data("and a tail of text".utf8)),
                ]
            }
        }
        for space in ColorSignal.Space.allCases {
            for bits in [8, 16] where bits == 16 || space.hasProfile {
                for model in [ColorSignal.Model.gray, .rgb] {
                    let signal = ColorSignal(model, space, bits: bits, hasAlpha: bits == 16)
                    files.append(("numbers.png", signal.png(.numbers)))
                    guard let profile = signal.profile else { continue }
                    files.append(("profile.png", signal.png(.profile)))
                    for storage in ColorSignal.TIFFLayout.Storage.allCases {
                        files.append(("\(storage).tiff", signal.tiff(.init(storage), profile: profile)))
                    }
                }
            }
        }
        for layout in ColorSignal.JPEGLayout.allCases {
            files.append(("\(layout.rawValue).jpg", ColorSignal(layout.model).jpeg(layout)))
        }
        let ink = ColorSignal(.cmyk)
        files.append(("ink.jpg", ink.jpeg(.cmykWithoutMarker, profile: ICCSample.linearInk)))
        for bits in [8, 16] {
            for storage in ColorSignal.TIFFLayout.Storage.allCases {
                let deep = ColorSignal(.cmyk, bits: bits)
                files.append(("ink-\(storage).tiff", deep.tiff(.init(storage), profile: ICCSample.linearInk)))
            }
        }
        let pages = try [(40, 30), (20, 15), (80, 10)].map { width, height in
            let page = try Image.generated(width: width, height: height) { x, y in (UInt8(x), 9, UInt8(y), 255) }
            return ImageFrame(image: page, duration: 0)
        }
        let file = try ImageTIFFCoder.shared.encode(pages, loopCount: 0, format: .tiff, options: EncodingOptions())
        files += [("pages.tiff", file), ("half-pages.tiff", file.prefix(file.count / 2))]
        files += try plugIns()
        let png = files[0].1.base64EncodedString()
        for (name, body) in [
            ("shapes", "<rect width='20' height='20' fill='#f00'/><circle r='9' fill='#00f' opacity='.5'/>"),
            ("embedded", "<image width='45' height='31' href='data:image/png;base64,\(png)'/>"),
            ("style", "<style>@import 'x';.a{fill:#0f0}</style><rect class='a' width='20' height='20'/>"),
            (
                "media",
                "<style>@media screen{.a{fill:#0f0}}</style><style media='print'>.a{fill:#f00}</style><rect class='a' width='20' height='20'/>"
            ),
            ("outside", "<image width='45' height='31' href='file:///etc/passwd'/><rect width='5' height='5'/>"),
        ] {
            let text = "<svg xmlns='http://www.w3.org/2000/svg' width='45' height='31'>\(body)</svg>"
            files += [("\(name).svg", Data(text.utf8)), ("half-\(name).svg", Data(text.utf8.prefix(60)))]
            for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
                let declared = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>\(text)"
                files.append(("wide-\(name).svg", declared.data(using: encoding) ?? Data()))
            }
        }
        return files + [("empty.png", Data()), ("text.jpg", Data("no picture".utf8))]
    }

    /// Files of formats that are only read, small ones, and the same damaged. A page of PDF is left out where its library is
    /// missing.
    private static func plugIns() throws -> [(String, Data)] {
        let size = PixelSize(width: 60, height: 40)
        var sensor = DNGFile(width: size.width, height: size.height) { x, y in
            (Double(x) / 60, Double(y) / 40, Double((x + y) % 16) / 16)
        }
        var files = [("sensor.dng", sensor.data)]
        let preview = try Image.generated(width: 30, height: 20) { x, y in (UInt8(x * 8), UInt8(y * 12), 90, 255) }
        sensor.preview = try ImageJPEGCoder.shared.encode(preview, format: .jpeg, options: EncodingOptions())
        sensor.orientation = 6
        files.append(("preview.dng", sensor.data))
        files += [("samples.jp2", PlugInSample.jpeg2000), ("square.lottie", PlugInSample.lottie)]
            .map { ($0.0, Data(base64Encoded: $0.1) ?? Data()) }
        if PDFium.isThere { files.append(("page.pdf", Data(base64Encoded: PlugInSample.pdf) ?? Data())) }
        return files + files.map { ("half-\($0.0)", $0.1.prefix($0.1.count / 2)) }
    }

    /// A picture of 24 × 24 px in each format.
    private enum PlugInSample {
        static let jpeg2000 = """
            AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAAGAAAABgAAwcHAAAAAAAPY29scgEAAAAA\
            ABAAAADeanAyY/9P/1EALwAAAAAAGAAAABgAAAAAAAAAAAAAABgAAAAYAAAAAAAAAAAAAwcBAQcBAQcBAf9SAAwAAAABAAQEBAAA\
            /1wAHUJvIG8AbwBu4GdQZ1BnaFAFUAVQR1fTV9NXYv9kACUAAUNyZWF0ZWQgYnkgT3BlbkpQRUcgdmVyc2lvbiAyLjUuNP+QAAoA\
            AAAAAE0AAf+Tx8wUCRVURanHzBQGZaJGasfSFAJdQEXwwEQACQOgIgAJA8BEAAJLwcGAFZEQoODADLzGwcGAFpQMgICAgICA/9k=
            """
        static let lottie = """
            eyJ2IjoiNS43LjAiLCJmciI6MzAsImlwIjowLCJvcCI6MywidyI6MjQsImgiOjI0LCJhc3NldHMiOlt7ImlkIjoiYSIsInciOjQs\
            ImgiOjQsInUiOiIiLCJwIjoiZGF0YTppbWFnZS9wbmc7YmFzZTY0LGlWQk9SdzBLR2dvQUFBQU5TVWhFVWdBQUFBUUFBQUFFQ0FJ\
            QUFBQW1rd2twQUFBQUdFbEVRVlI0Mm1Oa1lEaGh3OEFBUVN3TU5neHdnSnNEQUZoc0FqNEg4MXlpQUFBQUFFbEZUa1N1UW1DQyIs\
            ImUiOjF9XSwibGF5ZXJzIjpbeyJ0eSI6MiwicmVmSWQiOiJhIiwiaXAiOjAsIm9wIjozLCJzdCI6MCwia3MiOnsibyI6eyJrIjox\
            MDB9LCJyIjp7ImsiOjB9LCJwIjp7ImsiOlsxMiwxMl19LCJhIjp7ImsiOlsyLDJdfSwicyI6eyJrIjpbMTAwLDEwMF19fX0seyJ0\
            eSI6NCwiaXAiOjAsIm9wIjozLCJzdCI6MCwia3MiOnsibyI6eyJrIjoxMDB9LCJyIjp7ImsiOjB9LCJwIjp7ImsiOlsxMiw2XX0s\
            ImEiOnsiayI6WzAsMF19LCJzIjp7ImsiOlsxMDAsMTAwXX19LCJzaGFwZXMiOlt7InR5IjoiZ3IiLCJpdCI6W3sidHkiOiJyYyIs\
            InAiOnsiayI6WzAsMF19LCJzIjp7ImsiOlsyNCwxMl19LCJyIjp7ImsiOjB9fSx7InR5IjoiZmwiLCJjIjp7ImsiOlswLDAsMSwx\
            XX0sIm8iOnsiayI6MTAwfX0seyJ0eSI6InRyIiwicCI6eyJrIjpbMCwwXX0sImEiOnsiayI6WzAsMF19LCJzIjp7ImsiOlsxMDAs\
            MTAwXX0sInIiOnsiayI6MH0sIm8iOnsiayI6MTAwfX1dfV19LHsidHkiOjQsImlwIjowLCJvcCI6Mywic3QiOjAsImtzIjp7Im8i\
            OnsiayI6MTAwfSwiciI6eyJrIjowfSwicCI6eyJrIjpbMTIsMThdfSwiYSI6eyJrIjpbMCwwXX0sInMiOnsiayI6WzEwMCwxMDBd\
            fX0sInNoYXBlcyI6W3sidHkiOiJnciIsIml0IjpbeyJ0eSI6InJjIiwicCI6eyJrIjpbMCwwXX0sInMiOnsiayI6WzI0LDEyXX0s\
            InIiOnsiayI6MH19LHsidHkiOiJmbCIsImMiOnsiayI6WzEsMSwwLDFdfSwibyI6eyJrIjoxMDB9fSx7InR5IjoidHIiLCJwIjp7\
            ImsiOlswLDBdfSwiYSI6eyJrIjpbMCwwXX0sInMiOnsiayI6WzEwMCwxMDBdfSwiciI6eyJrIjowfSwibyI6eyJrIjoxMDB9fV19\
            XX1dfQ==
            """
        static let pdf = """
            JVBERi0xLjcKMSAwIG9iago8PCAvVHlwZSAvQ2F0YWxvZyAvUGFnZXMgMiAwIFIgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL1R5cGUg\
            L1BhZ2VzIC9LaWRzIFszIDAgUl0gL0NvdW50IDEgPj4KZW5kb2JqCjMgMCBvYmoKPDwgL1R5cGUgL1BhZ2UgL1BhcmVudCAyIDAg\
            UiAvTWVkaWFCb3ggWzAgMCAyNCAyNF0gL0NvbnRlbnRzIDQgMCBSIC9SZXNvdXJjZXMgPDwgL0ZvbnQgPDwgL0YgPDwgL1R5cGUg\
            L0ZvbnQgL1N1YnR5cGUgL1R5cGUxIC9CYXNlRm9udCAvSGVsdmV0aWNhID4+ID4+ID4+ID4+CmVuZG9iago0IDAgb2JqCjw8IC9M\
            ZW5ndGggMTA5ID4+CnN0cmVhbQowIDAgMSByZyAwIDEyIDI0IDEyIHJlIGYgMSAxIDAgcmcgMCAwIDI0IDEyIHJlIGYgMSAwIDAg\
            UkcgMiB3IDMgMyBtIDIwIDIwIGwgUyAwIGcgQlQgL0YgOSBUZiAyIDggVGQgKGEpIFRqIEVUCmVuZHN0cmVhbQplbmRvYmoKeHJl\
            ZgowIDUKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAwMDA5IDAwMDAwIG4gCjAwMDAwMDAwNTggMDAwMDAgbiAKMDAwMDAwMDEx\
            NSAwMDAwMCBuIAowMDAwMDAwMjg3IDAwMDAwIG4gCnRyYWlsZXIKPDwgL1NpemUgNSAvUm9vdCAxIDAgUiA+PgpzdGFydHhyZWYK\
            NDQ3CiUlRU9GCg==
            """
    }

    // MARK: Paths

    /// A picture as its size and its display pixels; nil for a refusal.
    private typealias Shown = Picture?

    private struct Picture {
        let size: PixelSize
        let rows: Data

        init(_ image: Image) throws {
            let pixels = try image.pixels.converted(to: .bgra8Premultiplied, isOpaque: !image.hasAlpha)
            size = image.pixelSize
            rows = (0..<pixels.height).reduce(into: Data(capacity: 4 * size.pixelCount)) { rows, y in
                let start = y * pixels.bytesPerRow
                pixels.withUnsafeBytes { rows += $0[start..<start + 4 * pixels.width] }
            }
        }

        /// Returns what differs; nil for the same picture.
        func difference(from other: Picture) -> String? {
            guard size == other.size else { return "\(size) instead of \(other.size)" }
            guard rows != other.rows else { return nil }
            let most = zip(rows, other.rows).map { abs(Int($0) - Int($1)) }.max() ?? 0
            return "pixels differ by \(most)"
        }
    }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent("in/\(name)").path }

    private static func decoded(
        _ data: Data, _ coders: ImageCodersManager, limits: DecodingLimits = .default
    ) -> Shown {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        options.limits = limits
        return try? Picture(try coders.decode(data, options: options))
    }

    private static func hasEveryFrame(_ data: Data, _ coders: ImageCodersManager) -> Bool {
        guard let info = try? coders.imageInfo(of: data, limits: .default), !info.format.framesArePages,
            let animation = try? coders.animation(of: data, options: DecodingOptions())
        else { return true }
        return (0..<animation.animatedImageFrameCount).allSatisfy { animation.animatedImageFrame(at: $0) != nil }
    }

    /// Runs a command on all files that writes each into a folder as BMP, which is 8-bit sRGB without loss.
    private func shown(_ words: [String], _ folder: String, namesFolder: Bool) throws -> [Shown] {
        let out = scratch.url.appendingPathComponent(folder)
        try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
        let paths = names.map(path)
        let outcome = try Tool.run(
            namesFolder ? words + paths + [out.path + "/"] : words + ["--out", out.path + "/%s.bmp"] + paths)
        #expect(outcome.code >= 0 && outcome.code < 64, "\(words): \(outcome.errors.suffix(300))")
        return names.map { name in
            let base = String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
            guard let data = try? Data(contentsOf: out.appendingPathComponent("\(base).bmp")) else { return nil }
            // The BMP of an accepted picture can be larger than a file that is accepted.
            return Self.decoded(data, .shared, limits: .unlimited)
        }
    }

    /// The longest side of a result of the service.
    private static let longestSide = 8192

    private func shownByService(_ further: [String]) async throws -> [Shown] {
        let folder = scratch.url.appendingPathComponent("in").path
        let service = try await RunningService(["--root", folder] + further, in: try ScratchFolder())
        defer { service.stop() }
        var shown: [Shown] = []
        for name in names {
            let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
            let answer = try await service.get("/_/scp:1/f:png/plain/local:///\(escaped)")
            #expect(answer.status == 200 || (400..<500).contains(answer.status), "\(name): \(answer.status)")
            shown.append(answer.status == 200 ? Self.decoded(answer.body, .shared) : nil)
        }
        return shown
    }

    /// A view that shows one file after another, without a toolkit.
    @MainActor private final class View: ImageDisplaying {
        var displayedImage: Image?
        private(set) lazy var binding = ImageViewBinding(display: self, operationKey: "View")
        private let manager = WebImageManager(
            cache: ImageCache(namespace: "view", diskCacheDirectory: nil), loader: FileImageLoader())

        func show(_ file: String, _ context: WebImageContext) async -> Image? {
            let context = context.merging([
                .customManager: manager, .queryCacheType: ImageCacheType.none, .storeCacheType: ImageCacheType.none,
            ]) { $1 }
            await withCheckedContinuation { continuation in
                _ = binding.setImage(
                    with: URL(fileURLWithPath: file), context: context,
                    completed: { _, _, _, _ in continuation.resume() })
            }
            return displayedImage
        }
    }

    @MainActor private func shownByView(_ files: [Data], _ coders: ImageCodersManager) async -> [Shown] {
        let view = View()
        var shown: [Shown] = []
        for (name, data) in zip(names, files) {
            var context: WebImageContext = [:]
            if let coder = coders.coders.last(where: { $0.canDecode(from: data) }) { context[.imageCoder] = coder }
            shown.append(await view.show(path(name), context).flatMap { try? Picture($0) })
        }
        return shown
    }

    @Test func everyPathShowsTheSame() async throws {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + OptionalCoders.all)
        let files = try names.map { try Data(contentsOf: URL(fileURLWithPath: path($0))) }
        let wanted = files.map { Self.decoded($0, coders) }
        func compare(_ label: String, _ shown: [Shown], with wanted: [Shown]) {
            for (name, (wanted, shown)) in zip(names, zip(wanted, shown)) {
                switch (wanted, shown) {
                case (nil, nil): continue
                case (nil, _): Issue.record("\(label) shows \(name), which the decoder refuses")
                case (_, nil): Issue.record("\(label) refuses \(name)")
                case (let wanted?, let shown?):
                    if let difference = shown.difference(from: wanted) {
                        Issue.record("\(label), \(name): \(difference)")
                    }
                }
            }
        }
        for sandbox in [[], ["--sandbox"]] {
            let mark = sandbox.isEmpty ? "" : " in the sandbox"
            let convert = ["convert", "--quiet", "--frame", "0", "--color", "srgb", "--format", "bmp"] + sandbox
            compare("convert" + mark, try shown(convert, "convert\(sandbox.count)", namesFolder: true), with: wanted)
            let thumbnail = ["thumbnail", "--quiet", "--size", "100%"] + sandbox
            let thumbnails = try shown(thumbnail, "thumbnail\(sandbox.count)", namesFolder: false)
            compare("thumbnail" + mark, thumbnails, with: wanted)
            let load = ["load", "--quiet", "--cache", "none"] + sandbox
            compare("load" + mark, try shown(load, "load\(sandbox.count)", namesFolder: false), with: wanted)
        }
        compare("a view", await shownByView(files, coders), with: wanted)
        // The service sends all frames of an animation, and can refuse a file with a damaged later frame.
        let served = try await shownByService([])
        var expected = wanted
        for (index, wanted) in wanted.enumerated() {
            guard let size = wanted?.size, max(size.width, size.height) > Self.longestSide else { continue }
            #expect(served[index].map { max($0.size.width, $0.size.height) } == Self.longestSide, "\(names[index])")
            expected[index] = served[index]
        }
        for index in served.indices where served[index] == nil && !Self.hasEveryFrame(files[index], coders) {
            expected[index] = nil
        }
        compare("the service", served, with: expected)
        let refused = wanted.count { $0 == nil }
        print("every path: \(wanted.count - refused) pictures the same, \(refused) refused")
        #expect(wanted.count - refused > 100 && refused > 20)
    }

    /// Seven requests each for files of pages that differ in size, and for damaged ones, end no decoder process. A process
    /// that ends costs the other requests the time of a start.
    @Test func noPagesEndTheDecodersOfTheService() async throws {
        let folder = scratch.url.appendingPathComponent("in").path
        let service = try await RunningService(["--root", folder], in: try ScratchFolder())
        defer { service.stop() }
        // Only generated files: a damaged file may take the time that a decode has.
        let kinds = ["pages", "half", "short", "ink"]
        let tiffs = names.filter { $0.hasSuffix(".tiff") && kinds.contains(where: $0.contains) }
        _ = try await service.get("/_/w:20/f:png/plain/local:///\(tiffs[0])")
        let before = Self.descendants(of: service.identifier)
        #expect(!before.isEmpty && tiffs.contains { $0.hasSuffix("-pages.tiff") })
        for round in 0..<7 {
            for name in tiffs {
                let options = "w:\(10 + round)" + (round % 2 == 0 ? "/f:png" : "")
                let answer = try await service.get("/_/\(options)/plain/local:///\(name)")
                // The first page of a damaged file can be whole.
                let isDamaged = name.contains("half") || name.contains("short")
                #expect(answer.status == 200 || isDamaged && answer.status == 415, "\(name): \(answer.status)")
            }
        }
        #expect(before.isSubset(of: Self.descendants(of: service.identifier)))
    }

    private static func descendants(of process: Int32) -> Set<Int32> {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.reduce(into: []) { all, task in
            let text = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)) ?? ""
            for child in text.split(separator: " ").compactMap({ Int32($0) }) where !all.contains(child) {
                all.insert(child)
                all.formUnion(descendants(of: child))
            }
        }
    }
}
