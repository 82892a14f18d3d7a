// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "my-app",
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "my-app",
            dependencies: [
                "MyAppKit", "CMyAppGTK",
                .product(name: "WebImage", package: "swift-web-image"),
                .product(name: "WebImageGTK", package: "swift-web-image"),
            ]),
        .target(name: "MyAppKit"),
        .testTarget(name: "MyAppKitTests", dependencies: ["MyAppKit"]),
        .systemLibrary(name: "CMyAppGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    ]
)
