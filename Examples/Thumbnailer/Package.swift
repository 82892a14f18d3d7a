// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "thumbnailer",
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(name: "thumbnailer", dependencies: [.product(name: "WebImage", package: "swift-web-image")])
    ]
)
