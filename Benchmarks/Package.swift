// swift-tools-version: 6.2
import PackageDescription

// The benchmarks are a separate package, so that users of the library do not depend on the peers.
// WEBIMAGE_PEERS=none builds without the peers, to test the harness on a machine where they are not installed.
let hasPeers = Context.environment["WEBIMAGE_PEERS"] != "none"

let peers: [Target] = [
    .executableTarget(
        name: "webimage-benchmarks",
        dependencies: [
            "Harness", "webimage-measured", "webimage-latency-turbo", "webimage-download-curl", "CPeers", "CCodecPeers",
            "CMotionPeers", "CSQLitePeer",
            .product(name: "WebImage", package: "swift-web-image"),
            .product(name: "WebImageAVIF", package: "swift-web-image"),
            .product(name: "WebImageHEIF", package: "swift-web-image"),
            .product(name: "WebImageJXL", package: "swift-web-image"),
            .product(name: "WebImageSVG", package: "swift-web-image"),
            .product(name: "WebImageTIFF", package: "swift-web-image"),
            .product(name: "WebImageTesting", package: "swift-web-image"),
        ]),
    .executableTarget(name: "webimage-measured"),
    .executableTarget(
        name: "webimage-footprint", dependencies: [.product(name: "WebImage", package: "swift-web-image")]),
    .executableTarget(
        name: "webimage-sandbox",
        dependencies: [
            .product(name: "WebImage", package: "swift-web-image"),
            .product(name: "WebImageAVIF", package: "swift-web-image"),
            .product(name: "WebImageHEIF", package: "swift-web-image"),
            .product(name: "WebImageSVG", package: "swift-web-image"),
            .product(name: "WebImageSandbox", package: "swift-web-image"),
        ]),
    .executableTarget(name: "webimage-download-curl", dependencies: ["CBareCurl"]),
    .systemLibrary(name: "CBareCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .executableTarget(name: "webimage-latency-turbo", dependencies: ["CBareJPEG"]),
    // The list benchmark compares our list with a list that is written in C. Both programs use the same window code.
    // The program for Qt is peers/list.py.
    .executableTarget(
        name: "webimage-list",
        dependencies: [
            "CListStage", .product(name: "WebImage", package: "swift-web-image"),
            .product(name: "WebImageGTK", package: "swift-web-image"),
        ]),
    .executableTarget(
        name: "webimage-views",
        dependencies: [
            "CStageGTK", .product(name: "WebImage", package: "swift-web-image"),
            .product(name: "WebImageGTK", package: "swift-web-image"),
        ]),
    .executableTarget(name: "webimage-list-soup", dependencies: ["CListStage", "CSoup"]),
    .executableTarget(name: "webimage-start-soup", dependencies: ["CSoup", "CGdkPixbuf"]),
    .target(name: "CListStage", dependencies: ["CStageGTK"]),
    .systemLibrary(name: "CStageGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .systemLibrary(name: "CSoup", pkgConfig: "libsoup-3.0", providers: [.apt(["libsoup-3.0-dev"])]),
    // These targets call the libraries of the peers as the documentation of each library shows. They are in C,
    // because Swift cannot call the variadic functions of libvips and cannot use libjpeg's longjmp(3).
    .target(
        name: "CCodecPeers",
        linkerSettings: ["png16", "webp", "webpdemux", "avif", "gif", "jxl", "tiff"].map { .linkedLibrary($0) }),
    .target(name: "CSQLitePeer", dependencies: ["CBareSQLite"]),
    .systemLibrary(name: "CBareSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(
        name: "CMotionPeers", dependencies: ["CVips", "CGdkPixbuf"],
        linkerSettings: ["gif", "webp", "webpdemux", "png16"].map { .linkedLibrary($0) }),
    .systemLibrary(name: "CGdkPixbuf", pkgConfig: "gdk-pixbuf-2.0", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
    .target(name: "CPeers", dependencies: ["CVips", "CBareJPEG"]),
    .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
    .systemLibrary(name: "CBareJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
]

let package = Package(
    name: "webimage-benchmarks",
    dependencies: hasPeers ? [.package(name: "swift-web-image", path: "..")] : [],
    targets: [
        .target(name: "Harness"),
        .testTarget(name: "HarnessTests", dependencies: ["Harness"]),
    ] + (hasPeers ? peers : []),
    swiftLanguageModes: [.v6]
)
