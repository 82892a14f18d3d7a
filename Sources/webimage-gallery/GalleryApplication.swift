import CWebImageGTK
import CWebImageGalleryShim
import Foundation
import WebImage
import WebImageGTK

/// Shows the window and runs until the user closes it. With `--screenshot`, saves an image of the window when all
/// pictures have loaded or failed, then quits.
@MainActor final class GalleryApplication {
    private let arguments: GalleryArguments
    private var window: GalleryWindow?
    private let figures = Figures()
    private var status: Int32 = 0

    init(_ arguments: GalleryArguments) { self.arguments = arguments }

    func run() -> Int32 {
        MainLoop.attach()
        guard gtk_init_check() != 0 else {
            FileHandle.standardError.write(
                Data("webimage-gallery: no display; set DISPLAY or WAYLAND_DISPLAY, or run it under xvfb-run\n".utf8))
            return 1
        }
        gallery_init()
        WebImageManager.shared.listener = figures
        guard let application = gtk_application_new("io.github.swift_web_image.Gallery", G_APPLICATION_NON_UNIQUE)
        else { return 1 }
        defer { g_object_unref(application) }
        Signal.connect(OpaquePointer(application), "activate") { [weak self] _ in self?.activate(application) }
        let code = g_application_run(UnsafeMutablePointer(OpaquePointer(application)), 0, nil)
        return code == 0 ? status : code
    }

    private func activate(_ application: UnsafeMutablePointer<GtkApplication>) {
        if let name = Sheet.Name(rawValue: arguments.page) { return show(name, application) }
        let window = GalleryWindow(arguments, application: application, figures: figures)
        self.window = window
        gtk_window_present(UnsafeMutablePointer(OpaquePointer(window.widget)))
        if arguments.checksList {
            Task { [self] in
                status = await ListCheck(window: window).run()
                g_application_quit(UnsafeMutablePointer(OpaquePointer(application)))
            }
        }
        guard let path = arguments.screenshot else { return }
        Task { [self] in
            status = await Screenshot(window: window, path: path).take()
            g_application_quit(UnsafeMutablePointer(OpaquePointer(application)))
        }
    }

    private func show(_ name: Sheet.Name, _ application: UnsafeMutablePointer<GtkApplication>) {
        gallery_set_dark(arguments.isDark)
        Style.install()
        let sheet = Sheet(name, arguments.urls, title: arguments.title, application: application)
        gtk_window_present(UnsafeMutablePointer(OpaquePointer(sheet.widget)))
        Task { [self] in
            await sheet.start()
            guard let path = arguments.screenshot else { return }
            status = await sheet.save(path)
            g_application_quit(UnsafeMutablePointer(OpaquePointer(application)))
        }
    }
}
