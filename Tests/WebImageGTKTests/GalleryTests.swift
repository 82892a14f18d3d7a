import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Runs the gallery in a separate process and checks the pixels on screen. This tests the complete path of an image
    /// from the file through the manager and the coder to the view.
    @Suite("Gallery") @MainActor struct GalleryTests {
        private let scratch: ScratchFolder
        var folder: URL { scratch.url }

        init() throws {
            try Display.open()
            scratch = try ScratchFolder()
        }

        @Test func galleryDrawsImagesUprightAndUnstretchedAndReportsABrokenOne() async throws {
            let picture = try Image.generated(width: 400, height: 200) { _, y in
                y < 100 ? (0, 0, 255, 255) : (255, 0, 0, 255)
            }
            let good = folder.appendingPathComponent("good.png").path
            let saved = try #require(picture.makeTexture()).withPointer { gdk_texture_save_to_png($0, good) != 0 }
            #expect(saved)
            let broken = folder.appendingPathComponent("broken.png").path
            try Data("not a picture".utf8).write(to: URL(fileURLWithPath: broken))

            let shot = folder.appendingPathComponent("shot.png").path
            let run = try await Gallery.run(["--screenshot", shot, good, broken], cache: folder.path)
            #expect(run.status == 0)
            #expect(run.output == "1 shown, 1 failed, 0 missing\n")
            let texture = try #require(gdk_texture_new_from_filename(shot, nil))
            let drawn = try #require(Texture(owning: texture).downloaded())
            let red = try #require(drawn.box { $0 == [0, 0, 255, 255] })
            let blue = try #require(drawn.box { $0 == [255, 0, 0, 255] })
            // The image is twice as wide as high. Its upper half is red, and its lower half is blue. Where the halves
            // meet, up to two rows of pixels have a mixed colour.
            #expect(red.maxX == blue.maxX && red.minX == blue.minX && red.maxY <= blue.minY)
            #expect(abs(red.width - 2 * (blue.maxY - red.minY)) <= 2)
            #expect(abs(red.height - blue.height) <= 2)
        }

        /// The address of a web page shows the picture that the page names.
        @Test func galleryDrawsThePictureOfAPage() async throws {
            let picture = try Image.generated(width: 400, height: 200) { x, _ in
                x < 200 ? (0, 0, 255, 255) : (255, 0, 0, 255)
            }
            let file = folder.appendingPathComponent("picture.png")
            let saved = try #require(picture.makeTexture()).withPointer { gdk_texture_save_to_png($0, file.path) != 0 }
            #expect(saved)
            let server = try FaultServer()
            defer { server.stop() }
            server.route("/picture.png", .body(try Data(contentsOf: file)))
            let page = "<!doctype html><title>A page</title><meta property=og:image content=picture.png>"
            server.route("/article", .body(Data(page.utf8), type: "text/html"))
            server.route("/nothing", .body(Data("<!doctype html><title>No picture</title>".utf8), type: "text/html"))

            let shot = folder.appendingPathComponent("shot.png").path
            let urls = ["/article", "/nothing"].map { server.url($0).absoluteString }
            let run = try await Gallery.run(["--screenshot", shot] + urls, cache: folder.path)
            #expect(run.status == 0 && run.output == "1 shown, 1 failed, 0 missing\n")
            let texture = try #require(gdk_texture_new_from_filename(shot, nil))
            let drawn = try #require(Texture(owning: texture).downloaded())
            let red = try #require(drawn.box { $0 == [0, 0, 255, 255] })
            let blue = try #require(drawn.box { $0 == [255, 0, 0, 255] })
            #expect(red.maxX <= blue.minX && abs(red.minY - blue.minY) <= 1 && abs(red.width - blue.width) <= 2)
        }

        /// A card of a picture that cannot be shown has the colours of the other cards.
        @Test(arguments: [true, false]) func cardOfAFailureFitsTheStyle(isDark: Bool) async throws {
            let shot = folder.appendingPathComponent("shot.png").path
            let style = isDark ? ["--dark"] : []
            let run = try await Gallery.run(["--screenshot", shot, "/nonexistent.png"] + style, cache: folder.path)
            #expect(run.status == 0 && run.output == "0 shown, 1 failed, 0 missing\n")
            let texture = try #require(gdk_texture_new_from_filename(shot, nil))
            let drawn = try #require(Texture(owning: texture).downloaded())
            // The picture's box has 30,000 pixels. Only its lines and the texts differ much from the window.
            var unlike = 0
            for y in 0..<drawn.pixels.height {
                for x in 0..<drawn.pixels.width {
                    let pixel = drawn.bgra(x, y).prefix(3)
                    if isDark ? (pixel.min() ?? 0) > 200 : (pixel.max() ?? 0) < 100 { unlike += 1 }
                }
            }
            #expect(unlike < 6000, "\(unlike)")
        }

        @Test func galleryListPlaysAnimationsAndAClickOpensTheLargeView() async throws {
            defer { try? FileManager.default.removeItem(at: folder) }
            let frames = try [UInt8(40), 200].map { red in
                ImageFrame(image: try TestImages.solid(width: 60, height: 40, red: red), duration: 0.05)
            }
            let file = folder.appendingPathComponent("blink.gif")
            try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .gif, options: EncodingOptions())
                .write(to: file)
            let run = try await Gallery.run(["--self-check-list", file.path], cache: folder.path)
            #expect(run.output == "plays\nopens\n" && run.status == 0)
        }

        @Test(arguments: [
            ["--columns", "0", "a"], ["--size", "10", "a"], ["--unknown"], ["--page", "x"], ["--title"],
        ])
        func badArgumentsAreRefused(arguments: [String]) async throws {
            #expect(try await Gallery.run(arguments, cache: folder.path).status == 1)
        }
    }
}

/// The gallery as a child process.
enum Gallery {
    static func run(_ arguments: [String], cache: String) async throws -> (status: Int32, output: String) {
        let executable = try #require(url, "webimage-gallery was not built beside the tests")
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": cache]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        return (process.terminationStatus, String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
    }

    private static var url: URL? {
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
        let url = folder.appendingPathComponent("webimage-gallery")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }
}

extension Image {
    /// Returns the bounding box of the pixels that the predicate accepts, or nil when there are none.
    func box(_ isWanted: ([UInt8]) -> Bool) -> CGRect? {
        var box: CGRect?
        for y in 0..<pixels.height {
            for x in 0..<pixels.width where isWanted(bgra(x, y)) {
                let place = CGRect(x: x, y: y, width: 1, height: 1)
                box = box?.union(place) ?? place
            }
        }
        return box
    }
}
