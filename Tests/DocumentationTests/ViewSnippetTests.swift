import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageGTK
import WebImageTestTraits
import WebImageTesting

/// Runs the snippets that show widgets, keeps only what their text keeps, and compares the drawn pixels.
@Suite(.serialized, .timeLimit(minutes: 2), .enabled(if: SnippetDisplay.isNamed, "no display"))
@MainActor struct ViewSnippetTests {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("views-\(UUID().uuidString)")
    let window: UnsafeMutablePointer<GtkWindow>
    let box: OpaquePointer

    init() throws {
        try #require(gtk_init_check() != 0)
        MainLoop.attach()
        ImageCache.defaultDiskCacheDirectory = NSTemporaryDirectory() + "/snippets-shared/webimage"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        window = try #require(gtkCast(gtk_window_new()))
        box = try #require(gtkCast(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)))
        gtk_window_set_decorated(window, 0)
        gtk_window_set_default_size(window, 300, 300)
        gtk_window_set_child(window, gtkCast(box))
        gtk_window_present(window)
    }

    private func end() {
        gtk_window_destroy(window)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Writes a picture of one colour, and returns its URL. `shade` is the blue value; the green value is 60, the red
    /// value 200.
    private func picture(_ shade: UInt8, width: Int = 400, height: Int = 300) throws -> URL {
        let image = try Image.generated(width: width, height: height) { _, _ in (shade, 60, 200, 255) }
        let file = folder.appendingPathComponent("\(shade)-\(width)x\(height).png")
        try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions()).write(to: file)
        return file
    }

    private func pump(until condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<1500 {
            while g_main_context_iteration(nil, 0) != 0 {}
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Puts a widget into the window. `stretches` is whether the widget takes the whole window.
    private func add(_ widget: OpaquePointer, stretches: Bool = false) {
        gtk_widget_set_halign(gtkCast(widget), stretches ? GTK_ALIGN_FILL : GTK_ALIGN_START)
        if stretches { gtk_widget_set_vexpand(gtkCast(widget), 1) }
        gtk_box_append(gtkCast(box), gtkCast(widget))
    }

    private func addScrolled(_ widget: OpaquePointer) {
        let scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(gtkCast(scrolled), gtkCast(widget))
        if let scrolled { add(OpaquePointer(scrolled), stretches: true) }
    }

    /// Waits until the window draws pixels of exactly these shades (see ``picture(_:width:height:)``).
    private func draws(_ shades: Set<UInt8>) async throws -> Bool {
        try await pump { try shades.isSubset(of: drawn()) }
    }

    /// The shades of the pictures that the window draws.
    private func drawn() throws -> Set<UInt8> {
        guard let image = WidgetSnapshot.image(of: box) else { return [] }
        return image.pixels.withUnsafeBytes { bytes in
            var found: Set<UInt8> = []
            for y in stride(from: 0, to: image.pixels.height, by: 3) {
                for x in stride(from: 0, to: image.pixels.width, by: 3) {
                    let place = y * image.pixels.bytesPerRow + x * 4
                    if bytes[place + 1] == 60, bytes[place + 2] == 200 { found.insert(bytes[place]) }
                }
            }
            return found
        }
    }

    @Test func avatarIsSharpAndStops() async throws {
        defer { end() }
        let url = try picture(10)
        add(makeAvatar(url, placeholder: nil).widget)
        #expect(try await draws([10]))
        let view = makeAvatar(URL(string: "file:///missing.png"), placeholder: nil)
        stop(view)
        #expect(view.image == nil)
    }

    @Test func roundAvatarHasItsSize() async throws {
        defer { end() }
        let avatar = makeRoundAvatar(try picture(30), initials: nil)
        add(avatar.widget)
        #expect(try await draws([30]))
        #expect(gtk_widget_get_width(avatar.gtkWidget()) == 48 && gtk_widget_get_height(avatar.gtkWidget()) == 48)
    }

    @Test func dressedViewShowsItsPictureOrItsErrorImage() async throws {
        defer { end() }
        let broken = try Image.generated(width: 40, height: 40) { _, _ in (99, 60, 200, 255) }
        func show(_ url: URL) {
            let view = ImageView()
            view.fixedSize = CGSize(width: 60, height: 60)
            dress(view, errorImage: broken)
            view.setImage(with: url)
            add(view.widget)
        }
        show(try picture(20))
        show(URL(fileURLWithPath: "/missing.png"))
        #expect(try await draws([20, 99]))
    }

    @Test func phasesShowThePicture() async throws {
        defer { end() }
        let sorry = WidgetView()
        add(makePhases(try picture(30), spinner: WidgetView(), sorry: sorry).widget, stretches: true)
        #expect(try await draws([30]))
    }

    @Test func stickerPlays() async throws {
        defer { end() }
        let frames = try [40, 41].map { shade in
            ImageFrame(
                image: try Image.generated(width: 60, height: 60) { _, _ in (UInt8(shade), 60, 200, 255) },
                duration: 0.1)
        }
        let file = folder.appendingPathComponent("sticker.png")
        try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .png, options: EncodingOptions())
            .write(to: file)
        add(makeSticker(file).widget)
        #expect(try await draws([40]))
        #expect(try await draws([41]))
    }

    @Test func viewsOfTheFirstPageShowTheirPictures() async throws {
        defer { end() }
        add(makeView(for: try picture(50)).widget)
        let adopted: OpaquePointer = gtkCast(try #require(gtk_picture_new()))
        gtk_widget_set_size_request(gtkCast(adopted), 50, 50)
        show(try picture(51), in: adopted, placeholder: nil)
        add(adopted)
        #expect(try await draws([50, 51]))
    }

    @Test func buttonShowsItsImage() async throws {
        defer { end() }
        let image = try Image.generated(width: 40, height: 40) { _, _ in (55, 60, 200, 255) }
        add(makeButton(showing: image).widget)
        #expect(try await draws([55]))
    }

    @Test func listsShowTheirPicturesAndSurviveRemovedRows() async throws {
        defer { end() }
        let urls = try (0..<4).map { try picture(UInt8(60 + $0)) }
        let list = scenes(urls)
        addScrolled(list.widget)
        #expect(try await draws([60]))
        list.removeRows(1..<4)
        list.reload(count: 1)
        #expect(try await draws([60]))
        #expect(try drawn() == [60])
    }

    @Test func filmShowsItsPictures() async throws {
        defer { end() }
        addScrolled(film(try (0..<4).map { try picture(UInt8(70 + $0), width: 100, height: 300) }).widget)
        #expect(try await draws([70, 71]))
    }

    @Test func chooserOpensTheActivatedPicture() async throws {
        defer { end() }
        let urls = try (0..<2).map { try picture(UInt8(80 + $0)) }
        var opened: [URL] = []
        let list = chooser(urls) { opened.append($0) }
        addScrolled(list.widget)
        #expect(try await draws([80]))
        list.onActivate?(1)
        #expect(opened == [urls[1]])
    }

    @Test func thumbnailsAreDecodedAtTheSizeOfTheirRows() async throws {
        defer { end() }
        let urls = try (0..<40).map { try picture(UInt8(100 + $0)) }
        let store = g_list_store_new(g_object_get_type())
        for _ in urls {
            let object = g_object_new_with_properties(g_object_get_type(), 0, nil, nil)
            g_list_store_append(store, object)
            g_object_unref(object)
        }
        addScrolled(try #require(gtkCast(gtk_grid_view_new(gtk_no_selection_new(store), thumbnails(of: urls)))))
        #expect(try await draws([100, 101, 102]))
        // The pictures are decoded at the size of their rows, in steps of 32 pixels, and no picture at full size.
        let cache = ImageCache.shared
        let sides = stride(from: 32, through: 320, by: 32)
        func isDecoded(_ url: URL) -> Bool {
            sides.contains { width in
                sides.contains { height in
                    let size: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: width, height: height)]
                    let key = WebImageManager.shared.cacheKey(for: url, context: size)
                    return cache.imageFromMemoryCache(forKey: key) != nil
                }
            }
        }
        #expect(try await pump { urls.prefix(3).allSatisfy(isDecoded) })
        for url in urls {
            #expect(cache.imageFromMemoryCache(forKey: WebImageManager.shared.cacheKey(for: url)) == nil)
        }
        g_list_store_remove_all(store)
        #expect(try await pump { try drawn().isEmpty })
    }

    @Test func peopleHaveTheirPortraitAndName() async throws {
        defer { end() }
        let portraits = try (0..<3).map { (name: "n\($0)", portrait: try picture(UInt8(150 + $0)).absoluteString) }
        var names: [String] = []
        let factory = people(portraits) {
            PersonRow { picture in
                let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
                gtk_widget_set_size_request(gtkCast(picture), 40, 40)
                gtk_box_append(gtkCast(row), gtkCast(picture))
                return (OpaquePointer(row!), { names.append($0) })
            }
        }
        let store = g_list_store_new(g_object_get_type())
        for _ in portraits {
            let object = g_object_new_with_properties(g_object_get_type(), 0, nil, nil)
            g_list_store_append(store, object)
            g_object_unref(object)
        }
        addScrolled(
            try #require(gtkCast(gtk_list_view_new(gtk_no_selection_new(store), factory.retainedFactory()))))
        #expect(try await draws([150, 151, 152]))
        #expect(Set(names) == ["n0", "n1", "n2"])
    }
}

private enum SnippetDisplay {
    static var isNamed: Bool { ProcessInfo.processInfo.environment["DISPLAY"] != nil }
}
