// swift-tools-version: 6.2
import PackageDescription

// Adapters and samples for Adwaita for Swift, SwiftCrossUI, swift-log, swift-metrics and swift-distributed-tracing.
// They are compiled against the targets in Stubs, which contain only the declarations that the adapters and samples
// use. Copy the file that you need into your program, and depend on the real package.
let library: [Target.Dependency] = [
    .product(name: "WebImage", package: "swift-web-image"), .product(name: "WebImageGTK", package: "swift-web-image"),
]

let package = Package(
    name: "adapters",
    products: [.library(name: "Adapters", targets: ["AdwaitaAdapter", "CrossUIAdapter", "Observability"])],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .target(name: "AdwaitaAdapter", dependencies: ["Adwaita"] + library),
        .target(name: "CrossUIAdapter", dependencies: ["SwiftCrossUI", "GtkBackend", "Gtk", "CGtk"] + library),
        .target(
            name: "Observability",
            dependencies: ["Logging", "Metrics", "Tracing", .product(name: "WebImage", package: "swift-web-image")]),
        .target(name: "Logging", path: "Stubs/Logging"),
        .target(name: "Metrics", path: "Stubs/Metrics"),
        .target(name: "Tracing", path: "Stubs/Tracing"),
        .target(name: "Adwaita", path: "Stubs/Adwaita"),
        .target(name: "SwiftCrossUI", path: "Stubs/SwiftCrossUI"),
        .target(name: "Gtk", path: "Stubs/Gtk"),
        .target(name: "GtkBackend", dependencies: ["Gtk", "SwiftCrossUI"], path: "Stubs/GtkBackend"),
        .systemLibrary(name: "CGtk", path: "Stubs/CGtk", pkgConfig: "gtk4"),
    ]
)
