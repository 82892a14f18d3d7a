import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Draws with GTK's OpenGL renderer on Mesa's software driver. Other tests draw with cairo, which reads every pixel of a
    /// large picture.
    @Suite("OpenGL") @MainActor struct OpenGLDrawingTests {
        /// The name of the renderer in a process that this suite has started; nil in the process of all tests.
        private nonisolated static let renderer = ProcessInfo.processInfo.environment["WEBIMAGE_TEST_RENDERER"]

        /// GTK chooses its renderer once, and a fault of a graphics driver would end the process of all tests. So the test
        /// below runs in a process of its own.
        @Test(.disabled(if: renderer != nil), arguments: ["gl", "ngl"])
        func largePicturesAreNotAliasedWithOpenGL(name: String) async throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["--testing-library", "swift-testing", "--filter", "stripesAreGreyInASmallView"]
            process.environment = ProcessInfo.processInfo.environment.merging([
                "WEBIMAGE_TEST_RENDERER": name, "GSK_RENDERER": name, "LIBGL_ALWAYS_SOFTWARE": "1",
            ]) { $1 }
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, output)
            try process.run()
            let reading = Task.detached {
                String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            }
            let text = await reading.value
            process.waitUntilExit()
            // GTK 4.18 aborts after this warning: on some runs, Mesa's software driver gives it no context under Xvfb.
            if process.terminationReason == .uncaughtSignal, text.contains("gdk_gl_context_make_current() failed") {
                return print("no drawing with \(name): the driver gave no OpenGL context")
            }
            #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(text)")
            print(text.split(separator: "\n").first { $0.hasPrefix("renderer ") } ?? "no drawing with \(name)")
        }

        @Test(.enabled(if: renderer != nil)) func stripesAreGreyInASmallView() async throws {
            try Display.open()
            let journey = try ViewJourney()
            let view = ImageView()
            view.contentMode = .fill
            let window = try await TestWindow(view.widget, width: 237, height: 180)
            defer { window.close() }
            let widget: UnsafeMutablePointer<GtkWidget> = view.gtkWidget()
            let renderer = try #require(gtk_native_get_renderer(gtk_widget_get_native(widget)))
            let type = UnsafeMutablePointer<GTypeInstance>(renderer).pointee.g_class.pointee.g_type
            let name = g_type_name(type).map { String(cString: $0) } ?? ""
            guard !name.contains("Cairo") else {
                print("renderer \(name): OpenGL is not available here")
                return
            }
            // Stripes of one and of two pixels, which become grey at about a quarter of their size. At exactly a quarter, even
            // a renderer that reads two pixels of four would find one dark and one light pixel.
            for stripe in [1, 2, 1] {
                let picture = try Image.generated(width: 960, height: 720) { x, y in
                    (x / stripe).isMultiple(of: 2) ? (255, 255, 255, 255) : (0, 0, 0, 255)
                }
                let file = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
                journey.server.route("/\(stripe).png", .body(file))
                let url = journey.server.url("/\(stripe).png")
                let answer = ViewAnswer()
                let whole: WebImageContext = .thumbnail(.fullSize)
                view.setImage(with: url, context: journey.context.merging(whole) { $1 }, completed: answer.hear)
                #expect(try await answer.isSuccess(url))
                #expect(view.image?.pixelSize == picture.pixelSize)
                var range = 0...255
                let drawn = try await TestWindow.drawing(of: view.widget) {
                    range = Self.greys($0)
                    return range.lowerBound > 80 && range.upperBound < 175
                }
                #expect(drawn?.pixelSize == PixelSize(width: 237, height: 180))
                #expect(range.lowerBound > 80 && range.upperBound < 175, "stripes of \(stripe): \(range)")
                print(
                    "renderer \(name), stripes of \(stripe): greys \(range), without a copy \(try plain(picture, renderer))"
                )
            }
        }

        /// Returns the darkest and the lightest grey of a drawing without its edges.
        private static func greys(_ drawn: Image) -> ClosedRange<Int> {
            var (least, most) = (255, 0)
            for y in stride(from: 4, to: drawn.pixels.height - 4, by: 7) {
                for x in 4..<(drawn.pixels.width - 4) {
                    let grey = Int(drawn.bgra(x, y)[1])
                    (least, most) = (min(least, grey), max(most, grey))
                }
            }
            return min(least, most)...most
        }

        /// Returns the greys of the texture of the whole picture, drawn by the renderer at the same size.
        private func plain(_ picture: Image, _ renderer: OpaquePointer) throws -> ClosedRange<Int> {
            let texture = try #require(picture.makeTexture())
            var area = graphene_rect_t()
            graphene_rect_init(&area, 0, 0, 237, 180)
            let node = texture.withPointer { gsk_texture_node_new($0, &area) }
            defer { gsk_render_node_unref(node) }
            let drawn = try #require(gsk_renderer_render_texture(renderer, node, &area).map(Texture.init(owning:)))
            return Self.greys(try #require(drawn.downloaded()))
        }
    }
}
