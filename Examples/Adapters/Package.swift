// swift-tools-version: 6.2
import PackageDescription

// The two adapters, compiled against Stubs, which declare only the parts of Adwaita for Swift and SwiftCrossUI that the
// adapters use. In your own program, copy the one file and depend on the real package.
let library: [Target.Dependency] = [
    .product(name: "WebImage", package: "swift-web-image"), .product(name: "WebImageGTK", package: "swift-web-image"),
]

let package = Package(
    name: "adapters",
    products: [.library(name: "Adapters", targets: ["AdwaitaAdapter", "CrossUIAdapter"])],
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .target(name: "AdwaitaAdapter", dependencies: ["Adwaita"] + library),
        .target(name: "CrossUIAdapter", dependencies: ["SwiftCrossUI", "GtkBackend", "Gtk", "CGtk"] + library),
        .target(name: "Adwaita", path: "Stubs/Adwaita"),
        .target(name: "SwiftCrossUI", path: "Stubs/SwiftCrossUI"),
        .target(name: "Gtk", path: "Stubs/Gtk"),
        .target(name: "GtkBackend", dependencies: ["Gtk", "SwiftCrossUI"], path: "Stubs/GtkBackend"),
        .systemLibrary(name: "CGtk", path: "Stubs/CGtk", pkgConfig: "gtk4"),
    ]
)
