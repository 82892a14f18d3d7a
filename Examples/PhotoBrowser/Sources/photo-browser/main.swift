import CPhotoBrowserGTK
import Foundation
import WebImage
import WebImageGTK

// A photo browser: a grid of thumbnails, and each photo large, with zoom and keys. The command line names folders, files
// or URLs. With --check, the program shows the first photo large, prints its decoded size, returns to the grid and ends
// when the photo has the focus there.
let arguments = Arguments(CommandLine.arguments.dropFirst())
/// Writes a line to standard error.
func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

for problem in arguments.problems { complain("photo-browser: \(problem)") }
guard !arguments.photos.isEmpty else {
    if arguments.problems.isEmpty {
        complain("usage: photo-browser [--dark] [--open NUMBER] [--check] FOLDER-OR-FILE-OR-URL...")
        complain("Of a folder, the pictures directly in it are shown, not those in its subfolders.")
    }
    exit(2)
}
guard gtk_init_check() != 0 else {
    complain("photo-browser: no display")
    exit(1)
}
// GTK and the main actor share the first thread, so main is synchronous and runs GLib's loop.
MainLoop.attach()
let loop = g_main_loop_new(nil, 0)
// The other photos are shown, but a script learns that one was missing.
var exitCode: Int32 = arguments.problems.isEmpty ? 0 : 1
let browser = Browser(arguments.photos, isDark: arguments.isDark) { g_main_loop_quit(loop) }
let checks = GTKDisplayLink(browser.window)
if arguments.isCheck {
    browser.open(arguments.opened ?? 0) { image, error in
        print(
            arguments.photos[arguments.opened ?? 0].name,
            image.map { "\($0.pixelSize)" } ?? error?.description ?? "nothing")
        if image == nil { exitCode = 1 }
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
