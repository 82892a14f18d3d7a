import CMyAppGTK
import Foundation
import MyAppKit

// GTK and the main actor share the first thread, so main is synchronous and runs GTK's loop.
let pictures = PictureList(arguments: Array(CommandLine.arguments.dropFirst()))
let application = gtk_application_new("org.example.MyApp", G_APPLICATION_NON_UNIQUE)
let activate: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, _ in
    MainActor.assumeIsolated { showWindow(of: application, pictures) }
}
g_signal_connect_data(
    application, "activate", unsafeBitCast(activate, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
exit(g_application_run(cast(application), 0, nil))
