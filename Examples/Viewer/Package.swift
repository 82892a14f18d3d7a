// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "viewer",
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "viewer",
            dependencies: [
                "CViewerGTK",
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "WebImageGTK", package: "swift-web-image"),
            ]),
        // You can use another GTK binding, because the views of WebImageGTK take and return widgets as pointers.
        .systemLibrary(name: "CViewerGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    ]
)
