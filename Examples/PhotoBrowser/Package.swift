// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "photo-browser",
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "photo-browser",
            dependencies: [
                "CPhotoBrowserGTK",
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "WebImageGTK", package: "swift-web-image"),
            ]),
        // You can use another GTK binding, because the views of WebImageGTK take and return widgets as pointers.
        .systemLibrary(name: "CPhotoBrowserGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    ]
)
