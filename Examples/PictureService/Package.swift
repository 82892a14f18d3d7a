// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "picture-service",
    dependencies: [.package(name: "swift-web-image", path: "../..")],
    targets: [
        .executableTarget(
            name: "picture-service", dependencies: [.product(name: "WebImage", package: "swift-web-image")])
    ]
)
