import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCLI

/// Tests `webimage thumbnail`: batches of files, and `--freedesktop`, which writes to the desktop's thumbnail
/// cache as specified by the Thumbnail Managing Standard.
@Suite(.timeLimit(minutes: 3))
struct ThumbnailTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Returns the types of the PNG chunks that contain a wrong CRC. The correct CRC is computed from the type and
    /// the data of the chunk (PNG specification §5.3).
    private static func chunksWithWrongChecksum(_ file: Data) -> [String] {
        let bytes = [UInt8](file)
        func number(_ at: Int) -> UInt32 { bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        var wrong: [String] = []
        var start = 8
        while start + 12 <= bytes.count {
            let end = start + 8 + Int(number(start))
            var crc = ~UInt32(0)
            for byte in bytes[start + 4..<end] {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            }
            if ~crc != number(end) { wrong.append(String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)) }
            start = end + 4
        }
        return wrong
    }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    private func data(_ name: String) throws -> Data {
        try Data(contentsOf: scratch.url.appendingPathComponent(name))
    }

    private func write(_ name: String, _ data: Data) throws {
        let url = scratch.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    private func picture(
        _ format: ImageFormat = .png, width: Int = 400, height: Int = 300, metadata: EmbeddedMetadata = .init()
    ) throws -> Data {
        var options = EncodingOptions()
        options.metadata = metadata
        return try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: height), format: format, options: options)
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool.Outcome {
        try Tool.run(["thumbnail"] + arguments, environment: environment, in: scratch.url.path)
    }

    private func info(_ name: String) throws -> ImageInfo {
        try ImageCodersManager.shared.imageInfo(of: data(name), limits: .default)
    }

    @Test func batchIsOrderedAndAFailureSkipsOnlyItsFile() throws {
        for index in 0..<12 { try write("photos/\(index).jpg", picture(.jpeg, width: 300 + index)) }
        try write("photos/sub/a.png", picture())
        try write("photos/broken.png", Data("no picture".utf8))
        let outcome = try run("-r", "photos", "--out", "small", "--size", "64", "--json")
        #expect(outcome.code == 2)
        #expect(outcome.errors.hasPrefix("webimage: photos/broken.png: This is not a picture of a known format"))
        let objects = try outcome.objects()
        #expect(objects.count == 14)
        #expect(
            objects.map { $0["url"] as? String ?? "" } == objects.map { $0["url"] as? String ?? "" }.sorted())
        #expect(try info("small/11.jpg").pixelSize.width == 64 && info("small/sub/a.png").pixelSize.height == 48)
        let names = FileManager.default.enumerator(atPath: path("small"))?.allObjects as? [String] ?? []
        #expect(!names.contains { $0.hasSuffix(".part") || $0.contains("broken") })
        // A second run does not replace existing files but reports an error. With --skip-existing, the command
        // writes only the missing files.
        #expect(try run("-r", "photos", "--out", "small").errors.contains("File exists"))
        try FileManager.default.removeItem(atPath: path("small/3.jpg"))
        try FileManager.default.removeItem(atPath: path("photos/broken.png"))
        let again = try run("-r", "photos", "--out", "small", "--size", "32", "--skip-existing")
        #expect(again.code == 0 && again.output.components(separatedBy: "skipped").count == 13)
        #expect(try info("small/3.jpg").pixelSize.width == 32 && info("small/4.jpg").pixelSize.width == 64)
    }

    @Test func aThumbnailOfAnAnimationIsItsFirstFrame() throws {
        let frames = try [40, 90].map { value in
            ImageFrame(
                image: try Image.generated(width: 60, height: 30) { _, _ in (UInt8(value), 0, 0, 255) }, duration: 0.1)
        }
        for format in [ImageFormat.gif, .webP, .png] {
            let name = "a.\(format.name ?? "")"
            try write(
                name,
                try ImageCodersManager.shared.encode(frames, loopCount: 0, format: format, options: EncodingOptions()))
            #expect(try run("--out", "out", "--size", "20", name).code == 0)
            #expect(try info("out/" + name).frameCount == 1 && info("out/" + name).pixelSize.width == 20)
        }
        // If an animation is smaller than the requested size, its thumbnail has the pixel size of the animation.
        // The thumbnail still contains only the first frame.
        #expect(try run("--out", "large", "--size", "200", "a.gif").code == 0)
        #expect(try info("large/a.gif").pixelSize.width == 60 && info("large/a.gif").frameCount == 1)
    }

    @Test func metadataIsKeptOrDroppedOnRequest() throws {
        let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        try write("a.jpg", picture(.jpeg, metadata: EmbeddedMetadata(xmp: xmp)))
        for (option, kept) in [("keep", true), ("drop", false)] {
            #expect(try run("--metadata", option, "-o", "\(option)/%s.jpg", "a.jpg").code == 0)
            let properties = try ImageCodersManager.shared.imageProperties(of: data("\(option)/a.jpg"))
            #expect((properties.xmp == xmp) == kept)
        }
        #expect(try run("-o", "unasked", "a.jpg").code == 0)
        #expect(try ImageCodersManager.shared.imageProperties(of: data("unasked/a.jpg")).xmp == nil)
        #expect(try run("--metadata", "some", "-o", "x", "a.jpg").code == 1)
        // If the name of an image has no extension, `--format` sets the extension of the output.
        try write("none", picture())
        #expect(try run("-o", "webp", "--format", "webp", "none").code == 0)
        #expect(try info("webp/none.webp").format == .webP)
    }

    // MARK: The desktop's cache

    private func desktop(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(
            ["thumbnail", "--freedesktop"] + arguments, environment: ["XDG_CACHE_HOME": path("cache")],
            in: scratch.url.path)
    }

    private func mode(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int ?? -1
    }

    /// GLib computed the expected names: g_filename_to_uri returned the URI, and g_compute_checksum_for_string
    /// returned the MD5 digest of the URI.
    @Test(arguments: [
        ("/home/jens/photos/me.png", "c6ee772d9e49320e97ec29a7eb5b1697"),
        ("/a/with space & 100% (ü)~;?#[1]'.png", "39e39c96a2c597a3344844df508495d5"),
    ])
    func thumbnailNamesAreDigestsOfGLibsURI(_ path: String, _ digest: String) throws {
        // Only the name is computed, so the file need not exist.
        let uri = "file://" + DesktopThumbnailCache.escaped(path)
        #expect(DesktopThumbnailCache.name(of: uri) == digest + ".png", "\(uri)")
    }

    /// tumbler 4.18 writes microseconds. Its thumbnails are current too, so the programs do not rewrite each other's.
    @Test func timesWithAndWithoutAFractionAreThoseOfTheFile() throws {
        try write("a.jpg", picture(.jpeg, width: 20, height: 10))
        let modified = Date(timeIntervalSince1970: 1_700_000_000.25)
        try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path("a.jpg"))
        let source = try DesktopThumbnailCache.Source(path("a.jpg"))
        for text in ["1700000000", "1700000000.250000", "1700000000.25", "1700000000.249999", "1700000000.250000000"] {
            #expect(source.isModified(at: text), "\(text)")
        }
        for text in [
            "1700000001", "1700000000.", "1700000000.5", "1700000000.2x", "1700000000.250000.1", "", ".25", "x",
            "1700000000.0", "1700000000.-25", "1700000000.2500000000",
        ] {
            #expect(!source.isModified(at: text), "\(text)")
        }
    }

    @Test func thumbnailCacheFollowsTheDesktopStandard() throws {
        try write("photos/ä b.jpg", picture(.jpeg, width: 2000, height: 1000))
        let modified = Date(timeIntervalSince1970: 1_700_000_000)
        try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path("photos/ä b.jpg"))
        let outcome = try desktop("--size", "normal,large,x-large,xx-large", "-r", "photos")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let name = DesktopThumbnailCache.name(of: "file://" + DesktopThumbnailCache.escaped(path("photos/ä b.jpg")))
        for (size, side) in [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)] {
            let file = "cache/thumbnails/\(size)/\(name)"
            let info = try info(file)
            #expect(info.format == .png && info.pixelSize == PixelSize(width: side, height: side / 2))
            #expect(info.bitDepth == 8)
            let texts = PNGTextChunks.texts(of: try data(file))
            #expect(texts["Thumb::URI"]?.hasSuffix("/photos/%C3%A4%20b.jpg") == true)
            #expect(texts["Thumb::MTime"] == "1700000000" && texts["Thumb::Mimetype"] == "image/jpeg")
            #expect(texts["Thumb::Image::Width"] == "2000" && texts["Thumb::Image::Height"] == "1000")
            #expect(texts["Thumb::Size"] == String(try data("photos/ä b.jpg").count))
            #expect(texts["Software"]?.hasPrefix("webimage") == true)
            #expect(try ImageCodersManager.shared.imageProperties(of: data(file)).texts.count == texts.count)
            // The code that reads the text chunks does not check their checksums, so this test checks them.
            #expect(try Self.chunksWithWrongChecksum(data(file)) == [])
            #expect(try mode(file) == 0o600 && mode("cache/thumbnails/\(size)") == 0o700)
        }
        #expect(try mode("cache/thumbnails") == 0o700)
    }

    @Test func whatIsCurrentIsLeftAloneAndWhatChangedIsMadeAgain() throws {
        try write("a.png", picture())
        func states(_ arguments: String...) throws -> [String?] {
            try Tool.run(
                ["thumbnail", "--freedesktop", "--json"] + arguments + ["a.png"],
                environment: ["XDG_CACHE_HOME": path("cache")], in: scratch.url.path
            ).objects().map { $0["state"] as? String }
        }
        #expect(try states() == ["made", "made"])
        #expect(try states() == ["current", "current"])
        #expect(try states("--size", "x-large,normal") == ["current", "made"])
        #expect(try states("--overwrite") == ["made", "made"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)], ofItemAtPath: path("a.png"))
        #expect(try states() == ["made", "made"])
        // An image that is smaller than the thumbnail size is not enlarged.
        try write("tiny.png", picture(width: 10, height: 5))
        let file = try #require(try desktop("--json", "tiny.png").objects().first?["file"] as? String)
        #expect(
            try ImageCodersManager.shared.imageInfo(
                of: Data(contentsOf: URL(fileURLWithPath: file)), limits: .default
            ).pixelSize.width == 10)
    }

    @Test func aFailureIsRememberedUntilTheFileChanges() throws {
        try write("bad.png", picture().prefix(40))
        #expect(try desktop("bad.png").code == 2)
        let folder = "cache/thumbnails/fail/webimage-\(WebImageCommand.version)"
        let names = try FileManager.default.contentsOfDirectory(atPath: path(folder))
        #expect(names.count == 1)
        let failure = "\(folder)/\(names[0])"
        let texts = PNGTextChunks.texts(of: try data(failure))
        #expect(texts["Thumb::URI"]?.hasSuffix("/bad.png") == true && texts["Thumb::MTime"] != nil)
        #expect(try info(failure).format == .png && mode(failure) == 0o600 && mode(folder) == 0o700)
        #expect(try desktop("bad.png").errors.contains("no thumbnail could be made of the file before"))
        #expect(try desktop("--overwrite", "bad.png").errors.contains("before") == false)
        try write("bad.png", picture())
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)], ofItemAtPath: path("bad.png"))
        #expect(try desktop("bad.png").code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path(folder)).isEmpty)
    }

    @Test func temporaryErrorsRecordNoThumbnailFailure() throws {
        try write("a.png", picture())
        #expect(try desktop("--max-pixels", "10", "a.png").code == 3)
        #expect(try desktop("absent.png").code == 2)
        #expect(!FileManager.default.fileExists(atPath: path("cache/thumbnails/fail")))
        #expect(try desktop("a.png").code == 0)
        let thumbnail = try #require(try desktop("--json", "a.png").objects().first?["file"] as? String)
        let itself = try desktop(thumbnail)
        #expect(itself.code == 2 && itself.errors.contains("is a thumbnail itself"))
        for arguments in [["http://127.0.0.1/a.png"], ["-"], ["--out", "x", "a.png"], ["--size", "300", "a.png"]] {
            #expect(try Tool.run(["thumbnail", "--freedesktop"] + arguments, in: scratch.url.path).code == 1)
        }
        #expect(try run("a.png").errors.contains("--out"))
    }

    /// The desktop replaces %i by the path of the image, %o by the path of the thumbnail, and %s by the side
    /// length in pixels. The file at %o can exist already and can have any extension.
    @Test func thumbnailerEntryWritesAPNG() throws {
        let (types, words) = try thumbnailer("webimage.thumbnailer")
        #expect(Set(["image/avif", "image/jxl", "image/heic", "image/jp2", "video/mp4"]).isSubset(of: types))
        // Without PDFium, which Debian does not have, it would hide the desktop's own thumbnailer.
        #expect(!types.contains("application/pdf"))
        for (format, name) in [(ImageFormat.avif, "a.avif"), (.jpegXL, "a.jxl"), (.webP, "animation")] {
            if format == .webP {
                let frames = try [40, 90].map { value in
                    ImageFrame(
                        image: try Image.generated(width: 400, height: 300) { _, _ in (UInt8(value), 0, 0, 255) },
                        duration: 0.1)
                }
                try write(
                    name,
                    ImageCodersManager.shared.encode(frames, loopCount: 0, format: .webP, options: EncodingOptions()))
            } else {
                try write("source.png", picture())
                #expect(try Tool.run("convert", path("source.png"), path(name)).code == 0)
            }
            try write("gnome.XYZ", Data())
            let values = ["%i": path(name), "%o": path("gnome.XYZ"), "%s": "256"]
            let outcome = try Tool.run(words.dropFirst().map { values[$0] ?? $0 })
            #expect(outcome.code == 0, "\(outcome.errors)")
            let info = try info("gnome.XYZ")
            #expect(info.format == .png && info.frameCount == 1)
            #expect(info.pixelSize == PixelSize(width: 256, height: 192))
        }
    }

    /// The entry for machines with PDFium calls the command as the other one does.
    @Test(.enabled(if: PDFium.isThere)) func thumbnailerEntryOfPDFWritesAPNG() throws {
        let (types, words) = try thumbnailer("webimage-pdf.thumbnailer")
        #expect(types == ["application/pdf"])
        #expect(try words == thumbnailer("webimage.thumbnailer").words)
        let content = "1 0 0 rg 0 0 400 300 re f"
        try write("page", PDFBytes(pages: [.init(content: content, width: 400, height: 300)]).data)
        let values = ["%i": path("page"), "%o": path("page.XYZ"), "%s": "128"]
        let outcome = try Tool.run(words.dropFirst().map { values[$0] ?? $0 })
        #expect(outcome.code == 0, "\(outcome.errors)")
        let info = try info("page.XYZ")
        #expect(info.format == .png && info.pixelSize == PixelSize(width: 128, height: 96))
    }

    /// The types and the command of an entry for the desktop.
    private func thumbnailer(_ name: String) throws -> (types: Set<String>, words: [String]) {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let entry = try String(contentsOf: root.appendingPathComponent("Packaging/\(name)"), encoding: .utf8)
        let lines = Dictionary(
            entry.split(separator: "\n").compactMap { line -> (String, String)? in
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
        ) { $1 }
        #expect(entry.hasPrefix("[Thumbnailer Entry]\n") && lines["TryExec"] == "webimage")
        let words = try #require(lines["Exec"]).split(separator: " ").map(String.init)
        #expect(words.first == "webimage")
        return (Set(try #require(lines["MimeType"]).split(separator: ";").map(String.init)), words)
    }
}
