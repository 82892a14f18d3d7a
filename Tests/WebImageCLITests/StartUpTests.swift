import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Checks which shared libraries the command loads at its start, because they determine start-up time and memory.
@Suite(.timeLimit(minutes: 1))
struct StartUpTests {
    private let scratch: ScratchFolder
    /// Libraries that only the optional coders need.
    private static let optional = [
        "avif", "heif", "jxl", "rsvg", "cairo", "glib-2.0", "gobject", "tiff", "dav1d", "x265",
    ]

    init() throws { scratch = try ScratchFolder() }

    private func libraries(in text: String) -> Set<String> {
        Set(text.split { " \t\n/".contains($0) }.map(String.init).filter { $0.hasPrefix("lib") && $0.contains(".so") })
    }

    @Test func rareFormatAndNetworkLibrariesAreNotLinked() throws {
        // With LD_TRACE_LOADED_OBJECTS, the dynamic loader lists the libraries and does not run the command.
        let listed = libraries(in: try Tool.run("--version", environment: ["LD_TRACE_LOADED_OBJECTS": "1"]).output)
        #expect(listed.contains { $0.hasPrefix("libc.so") })
        for name in Self.optional {
            #expect(listed.filter { $0.hasPrefix("lib" + name) }.isEmpty)
        }
        for name in ["curl", "ssl", "gnutls", "ldap"] {
            #expect(listed.filter { $0.hasPrefix("lib" + name) }.isEmpty)
        }
        #expect(listed.count <= 50)
    }

    @Test func libraryIsLoadedOnlyForItsFormat() throws {
        let image = try TestImages.solid(width: 8, height: 6)
        let png = scratch.url.appendingPathComponent("a.png").path
        let tiff = scratch.url.appendingPathComponent("a.tiff").path
        try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
            .write(to: URL(fileURLWithPath: png))
        #expect(try Tool.run("convert", png, tiff).code == 0)

        func loaded(_ path: String) throws -> Set<String> {
            let outcome = try Tool.run("info", path, environment: ["LD_DEBUG": "files"])
            #expect(outcome.code == 0)
            return libraries(in: outcome.errors)
        }
        #expect(try loaded(png).filter { name in Self.optional.contains { name.hasPrefix("lib" + $0) } }.isEmpty)
        #expect(try loaded(tiff).contains { $0.hasPrefix("libtiff.so") })
    }

    /// The folder that the dynamic loader searches first contains an empty `libcurl.so.4`, which hides the real
    /// libcurl. The command must start without libcurl and report the missing package only for a download.
    @Test func downloadWithoutLibcurlNamesThePackage() throws {
        try Data().write(to: scratch.url.appendingPathComponent("libcurl.so.4"))
        let environment = ["LD_LIBRARY_PATH": scratch.url.path, "XDG_CACHE_HOME": scratch.url.path]
        let urls = ["http://127.0.0.1:9/a.png", "http://127.0.0.1:9/b.png"]
        let outcome = try Tool.run("load", urls[0], urls[1], environment: environment)
        #expect(outcome.code != 0)
        #expect(outcome.errors.components(separatedBy: "apt install libcurl4").count == 3)
        #expect(outcome.errors.contains("libcurl.so.4"))
        #expect(try Tool.run("--version", environment: environment).code == 0)
    }

    @Test func formatsPrintsEveryFormatAndItsLibrary() throws {
        // This names the tests' library in the environment, which the command inherits.
        let readsPDF = PDFium.isThere
        let outcome = try Tool.run("formats", "--json")
        #expect(outcome.code == 0)
        let rows = Dictionary(
            uniqueKeysWithValues: try outcome.objects().map { ($0["format"] as? String ?? "?", $0) })
        let library = [
            "jpeg": "libjpeg-turbo", "png": "libpng", "apng": "libpng", "gif": "giflib", "webp": "libwebp",
            "avif": "libavif", "heic": "libheif", "jxl": "libjxl", "svg": "librsvg", "tiff": "libtiff",
            "jp2": "openjpeg", "raw": "libraw", "lottie": "rlottie", "video": "ffmpeg",
        ]
        for (format, name) in library {
            #expect(rows[format]?["reads"] as? Bool == true, "\(format)")
            let words = rows[format]?["library"] as? String ?? ""
            #expect(words.hasPrefix(name) && words.contains { $0.isNumber }, "\(format): \(words)")
        }
        // Pages, as of TIFF and PDF, are never played.
        let animated = ["apng", "gif", "webp", "avif", "jxl", "lottie", "video"]
        for (format, row) in rows {
            #expect(row["animates"] as? Bool == animated.contains(format), "\(format)")
        }
        for format in ["svg", "pdf", "jp2", "raw", "lottie", "video"] {
            #expect(rows[format]?["writes"] as? Bool == false, "\(format)")
        }
        #expect(rows["pdf"]?["reads"] as? Bool == readsPDF)
        #expect(try Tool.run("formats").output.split(separator: "\n").count == rows.count)
    }

    /// The details of each format are those of its coder: the package that an error would name, and the process in which the
    /// command decodes.
    @Test func verboseFormatsNameProductPackageAndProcess() throws {
        let environment = ["WEBIMAGE_SANDBOX_MODE": "off"]
        let rows = try Tool.run("formats", "--verbose", "--json").objects()
        let here = try Tool.run(["formats", "--verbose", "--json"], environment: environment).objects()
        #expect(rows.count == here.count && rows.count == 17)
        let packages = ["svg": "librsvg2-2", "heic": "libheif1", "tiff": "libtiff6", "lottie": "librlottie0-1"]
        let products = [
            "jpeg": "WebImage", "svg": "WebImageSVG", "video": "WebImageVideo", "pdf": "WebImagePDF",
            "raw": "WebImageRaw",
        ]
        for (row, other) in zip(rows, here) {
            let name = row["format"] as? String ?? "?"
            let isIsolated = ["jp2", "raw", "pdf", "lottie", "video"].contains(name)
            #expect(row["isolated"] as? Bool == isIsolated && other["isolated"] as? Bool == false, "\(name)")
            #expect((row["readsWhat"] as? String ?? "").count > 3, "\(name)")
            #expect((row["writesWhat"] is String) == (row["writes"] as? Bool), "\(name)")
            if let package = packages[name] { #expect(row["package"] as? String == package) }
            if let product = products[name] { #expect(row["product"] as? String == product) }
        }
        let text = try Tool.run("formats", "--verbose").output
        #expect(text.split(separator: "\n").count == 6 * rows.count)
        #expect(text.contains("package  librsvg2-2\n") && text.contains("decodes  in a restricted process\n"))
    }
}
