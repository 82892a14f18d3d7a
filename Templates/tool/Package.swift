// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "my-app",
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(name: "my-app", dependencies: ["MyAppKit"]),
        .target(
            name: "MyAppKit", dependencies: [.product(name: "WebImage", package: "swift-web-image")]),
        .testTarget(name: "MyAppKitTests", dependencies: ["MyAppKit"]),
    ]
)
