extension PackageTemplate {
    /// The files of a program with a window.
    static let gtk = [
        File(
            path: "Package.swift",
            text: """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "{{NAME}}",
                    dependencies: [{{DEPENDENCY}}],
                    targets: [
                        .executableTarget(
                            name: "{{NAME}}",
                            dependencies: [
                                "{{TYPE}}Kit", "C{{TYPE}}GTK",
                                .product(name: "WebImage", package: "{{PACKAGE}}"),
                                .product(name: "WebImageGTK", package: "{{PACKAGE}}"),
                            ]),
                        .target(name: "{{TYPE}}Kit"),
                        .testTarget(name: "{{TYPE}}KitTests", dependencies: ["{{TYPE}}Kit"]),
                        .systemLibrary(name: "C{{TYPE}}GTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
                    ]
                )

                """),
        File(
            path: "Sources/C{{TYPE}}GTK/module.modulemap",
            text: """
                module C{{TYPE}}GTK [system] {
                    header "shim.h"
                    export *
                }

                """),
        File(
            path: "Sources/C{{TYPE}}GTK/shim.h",
            text: """
                #include <gtk/gtk.h>

                """),
        File(
            path: "Sources/{{NAME}}/main.swift",
            text: """
                import C{{TYPE}}GTK
                import Foundation
                import {{TYPE}}Kit

                // GTK and the main actor share the first thread, so main is synchronous and runs GTK's loop.
                let pictures = PictureList(arguments: Array(CommandLine.arguments.dropFirst()))
                let application = gtk_application_new("{{ID}}", G_APPLICATION_NON_UNIQUE)
                let activate: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = { _, _ in
                    MainActor.assumeIsolated { showWindow(of: application, pictures) }
                }
                g_signal_connect_data(
                    application, "activate", unsafeBitCast(activate, to: GCallback.self), nil, nil, GConnectFlags(rawValue: 0))
                exit(g_application_run(cast(application), 0, nil))

                """),
        File(
            path: "Sources/{{NAME}}/Window.swift",
            text: """
                import C{{TYPE}}GTK
                import Foundation
                import WebImage
                import WebImageGTK
                import {{TYPE}}Kit

                /// The window with a flow of pictures, each decoded at its displayed size.
                @MainActor func showWindow(of application: UnsafeMutablePointer<GtkApplication>?, _ pictures: PictureList) {
                    let window = gtk_application_window_new(application)
                    gtk_window_set_title(cast(window), "{{TITLE}}")
                    gtk_window_set_default_size(cast(window), 720, 540)
                    if pictures.urls.isEmpty {
                        gtk_window_set_child(cast(window), gtk_label_new("No picture was named. Start with: {{NAME}} FILE-OR-URL..."))
                    } else {
                        let flow = gtk_flow_box_new()
                        gtk_flow_box_set_selection_mode(.init(flow), GTK_SELECTION_NONE)
                        gtk_flow_box_set_row_spacing(.init(flow), 12)
                        gtk_flow_box_set_column_spacing(.init(flow), 12)
                        for setMargin in [
                            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
                            gtk_widget_set_margin_end,
                        ] { setMargin(flow, 12) }
                        gtk_widget_set_valign(flow, GTK_ALIGN_START)
                        for url in pictures.urls { show(url, in: flow) }
                        let scroller = gtk_scrolled_window_new()
                        gtk_scrolled_window_set_child(.init(scroller), flow)
                        gtk_window_set_child(cast(window), scroller)
                    }
                    gtk_window_present(cast(window))
                }

                @MainActor private func show(_ url: URL, in flow: UnsafeMutablePointer<GtkWidget>?) {
                    let view = ImageView()
                    view.fixedSize = CGSize(width: 320, height: 240)
                    let overlay = gtk_overlay_new()
                    gtk_overlay_set_child(.init(overlay), .init(view.widget))
                    gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
                    // The reason, on a picture that cannot be shown. A click goes through it to the view and tries again.
                    let reason = gtk_label_new(nil)
                    gtk_label_set_wrap(.init(reason), 1)
                    gtk_widget_set_valign(reason, GTK_ALIGN_END)
                    gtk_widget_set_margin_bottom(reason, 8)
                    gtk_widget_set_can_target(reason, 0)
                    gtk_overlay_add_overlay(.init(overlay), reason)
                    // The flow owns the widgets from here on; before, the handle owns the view.
                    gtk_flow_box_insert(.init(flow), overlay, -1)
                    view.imageIndicator = WebImageActivityIndicator.medium
                    view.imageTransition = .fade
                    view.errorImage = errorImage
                    view.retriesOnTap = true
                    // Decoded at the size of the view in pixels of the screen: on a screen with two pixels per point, twice
                    // as many as points.
                    let finished: ViewImageCompletedBlock = { image, error, _, url in
                        gtk_label_set_text(.init(reason), error.map { words(for: $0, url) } ?? "")
                        print(url?.lastPathComponent ?? "-", image.map { "\\($0.pixelSize)" } ?? error?.description ?? "nothing")
                        fflush(nil)
                    }
                    view.retryCompleted = finished
                    view.setImage(with: url, context: .thumbnail(.viewSize), completed: finished)
                }

                /// The reason in the words of a person who looks at the window.
                private func words(for error: WebImageError, _ url: URL?) -> String {
                    let name = url?.lastPathComponent ?? "This"
                    return switch error.code {
                    case .fileSystem: "There is no readable file \\(name)."
                    case .badImageData: "\\(name) is damaged, or not a picture."
                    case .unsupportedFormat: "\\(name) is not a picture that this program reads."
                    default: "\\(name): \\(error.code.words)"
                    }
                }

                /// The picture for what cannot be shown; a click on it tries again. Its colours fit light and dark themes.
                @MainActor private let errorImage = GraphicsImageRenderer(
                    size: CGSize(width: 320, height: 240), format: twoPixelsPerPoint
                ).image { context in
                    context.fillColor = ImageColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.18)
                    context.fill(CGRect(x: 0, y: 0, width: 320, height: 240))
                    var cross = GraphicsPath()
                    cross.move(to: CGPoint(x: 135, y: 95))
                    cross.addLine(to: CGPoint(x: 185, y: 145))
                    cross.move(to: CGPoint(x: 185, y: 95))
                    cross.addLine(to: CGPoint(x: 135, y: 145))
                    context.strokeColor = ImageColor(red: 0.85, green: 0.3, blue: 0.3, alpha: 1)
                    context.lineWidth = 6
                    context.stroke(cross)
                }

                /// The error picture is also sharp on a screen with two pixels per point.
                private var twoPixelsPerPoint: GraphicsImageRendererFormat {
                    var format = GraphicsImageRendererFormat()
                    format.scale = 2
                    return format
                }

                /// Casts an object to one of its superclasses, like GTK's macros in C.
                func cast<Object>(_ object: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Object>? {
                    object?.assumingMemoryBound(to: Object.self)
                }

                """),
        File(
            path: "Sources/{{TYPE}}Kit/PictureList.swift",
            text: """
                public import Foundation

                /// The pictures named on a command line.
                public struct PictureList: Sendable {
                    public let urls: [URL]

                    /// A word with a scheme is a URL; any other word is a file path.
                    public init(arguments: [String]) {
                        urls = arguments.compactMap { name in
                            name.contains("://") ? URL(string: name) : URL(fileURLWithPath: name)
                        }
                    }
                }

                """),
        File(
            path: "Tests/{{TYPE}}KitTests/PictureListTests.swift",
            text: """
                import Testing
                import {{TYPE}}Kit

                @Test func argumentsAreFilesOrURLs() {
                    let list = PictureList(arguments: ["https://example.org/a.png", "b.png"])
                    #expect(list.urls.count == 2)
                    #expect(list.urls[0].host == "example.org" && list.urls[1].isFileURL)
                }

                """),
        File(
            path: "Data/{{ID}}.desktop",
            text: """
                [Desktop Entry]
                Type=Application
                Name={{TITLE}}
                Comment=Shows pictures from files and web addresses
                Exec={{NAME}} %U
                Icon={{ID}}
                Terminal=false
                Categories=Graphics;Viewer;GTK;
                MimeType=image/jpeg;image/png;image/gif;image/webp;

                """),
        File(
            path: "Data/{{ID}}.metainfo.xml",
            text: """
                <?xml version="1.0" encoding="UTF-8"?>
                <!-- Yours to change: the identifier (also the names of these files and the one in main.swift), the addresses,
                     the developer and the words. -->
                <component type="desktop-application">
                  <id>{{ID}}</id>
                  <metadata_license>CC0-1.0</metadata_license>
                  <project_license>MIT</project_license>
                  <name>{{TITLE}}</name>
                  <summary>Shows pictures from files and web addresses</summary>
                  <developer_name>The makers of {{TITLE}}</developer_name>
                  <description>
                    <p>A window of pictures that are fetched, decoded at the size they are shown, and kept in memory and on disk.</p>
                  </description>
                  <launchable type="desktop-id">{{ID}}.desktop</launchable>
                  <icon type="stock">{{ID}}</icon>
                  <url type="homepage">https://example.org/{{NAME}}</url>
                  <url type="bugtracker">https://example.org/{{NAME}}/issues</url>
                  <categories>
                    <category>Graphics</category>
                    <category>Viewer</category>
                  </categories>
                  <keywords>
                    <keyword>picture</keyword>
                    <keyword>photo</keyword>
                    <keyword>image</keyword>
                  </keywords>
                  <screenshots>
                    <screenshot type="default">
                      <caption>The window with some pictures</caption>
                      <image>https://example.org/{{NAME}}/screenshot.png</image>
                    </screenshot>
                  </screenshots>
                  <provides>
                    <binary>{{NAME}}</binary>
                  </provides>
                  <recommends>
                    <control>pointing</control>
                    <control>keyboard</control>
                    <control>touch</control>
                  </recommends>
                  <requires>
                    <display_length compare="ge">360</display_length>
                  </requires>
                  <content_rating type="oars-1.1"/>
                  <releases>
                    <release version="0.1.0" date="2026-01-01">
                      <description>
                        <p>The first release.</p>
                      </description>
                    </release>
                  </releases>
                </component>

                """),
        File(
            path: "Data/{{ID}}.svg",
            text: """
                <svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">
                  <rect x="16" y="24" width="96" height="80" rx="10" fill="#3584e4"/>
                  <circle cx="84" cy="48" r="10" fill="#f8e45c"/>
                  <path d="M16 100 L48 56 L72 88 L88 72 L112 100 Z" fill="#2ec27e"/>
                </svg>

                """),
        File(
            path: "README.md",
            text: """
                # {{TITLE}}

                ```sh
                sudo apt install libgtk-4-dev
                swift test
                swift run {{NAME}} PICTURE-OR-URL...
                ```

                `Data` has what a desktop wants: `appstreamcli validate Data/{{ID}}.metainfo.xml` checks it. Install the program as
                `/usr/bin/{{NAME}}`, the `.desktop` file into `/usr/share/applications`, the metadata into `/usr/share/metainfo`,
                the icon into `/usr/share/icons/hicolor/scalable/apps`.

                """),
    ]
}
