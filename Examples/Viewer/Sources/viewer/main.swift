import CViewerGTK
import Foundation
import WebImage
import WebImageGTK

// Shows a column of pictures. The command line names their files or URLs. With --check, the program ends when all
// pictures are loaded.
let arguments = CommandLine.arguments.dropFirst()
let urls = arguments.filter { $0 != "--check" }.map { $0.contains(":") ? URL(string: $0) : URL(fileURLWithPath: $0) }
var waiting = urls.count
var failures = 0

guard !urls.isEmpty else {
    print("usage: viewer [--check] URL-OR-FILE...")
    exit(2)
}
MainLoop.attach()
guard gtk_init_check() != 0 else {
    print("viewer: no display")
    exit(1)
}

let loop = g_main_loop_new(nil, 0)
let window = gtk_window_new()
let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
gtk_window_set_default_size(gtkCast(window), 480, 640)
gtk_window_set_child(gtkCast(window), column)

for url in urls {
    let view = ImageView()
    gtk_box_append(gtkCast(column), view.gtkWidget())
    view.requestSize(CGSize(width: 480, height: 320))
    view.setImage(with: url, context: .thumbnail(.viewSize)) { image, error, _, url in
        print(url?.lastPathComponent ?? "-", image.map { "\($0.pixelSize)" } ?? error?.description ?? "nothing")
        if image == nil { failures += 1 }
        waiting -= 1
        if waiting == 0, arguments.contains("--check") { g_main_loop_quit(loop) }
    }
}
gtk_window_present(gtkCast(window))
g_main_loop_run(loop)
exit(failures == 0 ? 0 : 1)
