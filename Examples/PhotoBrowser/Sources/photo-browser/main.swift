import CPhotoBrowserGTK
import Foundation
import WebImage
import WebImageGTK

// A photo browser: a grid of thumbnails, and each photo large, with zoom and keys. The command line names folders, files
// or URLs. With --check, the program shows the first photo large, prints its decoded size, returns to the grid and ends
// when the photo has the focus there.
let arguments = Arguments(CommandLine.arguments.dropFirst())
guard !arguments.photos.isEmpty else {
    for folder in arguments.emptyFolders {
        print("photo-browser: \(folder) contains no picture; subfolders are not searched")
    }
    print("usage: photo-browser [--dark] [--open NUMBER] [--check] FOLDER-OR-FILE-OR-URL...")
    print("Of a folder, the pictures directly in it are shown, not those in its subfolders.")
    exit(2)
}
guard gtk_init_check() != 0 else {
    print("photo-browser: no display")
    exit(1)
}
// GTK and the main actor share the first thread, so main is synchronous and runs GLib's loop.
MainLoop.attach()
let loop = g_main_loop_new(nil, 0)
var exitCode: Int32 = 0
let browser = Browser(arguments.photos, isDark: arguments.isDark) { g_main_loop_quit(loop) }
let checks = GTKDisplayLink(browser.window)
if arguments.isCheck {
    browser.open(arguments.opened ?? 0) { image, error in
        print(
            arguments.photos[arguments.opened ?? 0].name,
            image.map { "\($0.pixelSize)" } ?? error?.description ?? "nothing")
        exitCode = image == nil ? 1 : 0
        guard image != nil else { return g_main_loop_quit(loop) }
        browser.close()
        checks.start { _ in
            if browser.isFocused(arguments.opened ?? 0) { g_main_loop_quit(loop) }
        }
    }
} else if let opened = arguments.opened {
    browser.open(opened)
}
gtk_window_present(gtkCast(browser.window))
g_main_loop_run(loop)
exit(exitCode)
