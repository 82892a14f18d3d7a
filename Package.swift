// swift-tools-version: 6.2
import PackageDescription

// SwiftPM compiles a target anew when a module it names has changed, not when one has that such a module re-exports: a
// type of Core that had grown would keep its old layout in what sees it through WebImage. So these are named as well.
let reexported = ["WebImageCore", "WebImageGraphics", "WebImageHTTP", "WebImageStore", "WebImageCodecs"]

let package = Package(
    name: "swift-web-image",
    products: [
        .library(name: "WebImage", targets: ["WebImage"] + reexported),
        .library(name: "WebImageCore", targets: ["WebImageCore"]),
        .library(name: "WebImageGTK", targets: ["WebImageGTK"]),
        .library(name: "WebImageAVIF", targets: ["WebImageAVIF"]),
        .library(name: "WebImageHEIF", targets: ["WebImageHEIF"]),
        .library(name: "WebImageJXL", targets: ["WebImageJXL"]),
        .library(name: "WebImageSVG", targets: ["WebImageSVG"]),
        .library(name: "WebImageTIFF", targets: ["WebImageTIFF"]),
        .library(name: "WebImageService", targets: ["WebImageService"]),
        .library(name: "WebImageServer", targets: ["WebImageServer"]),
        .library(name: "SDWebImage", targets: ["SDWebImage"] + reexported),
        .library(name: "SDWebImageGTK", targets: ["SDWebImageGTK"]),
        .library(name: "SDWebImageFoundationNetworking", targets: ["SDWebImageFoundationNetworking"]),
        .library(name: "SDWebImageWebPCoder", targets: ["SDWebImageWebPCoder"]),
        .library(name: "SDWebImageAVIFCoder", targets: ["SDWebImageAVIFCoder"]),
        .library(name: "SDWebImageHEIFCoder", targets: ["SDWebImageHEIFCoder"]),
        .library(name: "SDWebImageJPEGXLCoder", targets: ["SDWebImageJPEGXLCoder"]),
        .library(name: "SDWebImageSVGCoder", targets: ["SDWebImageSVGCoder"]),
        .library(name: "WebImageTesting", targets: ["WebImageTesting"]),
        .executable(name: "webimage", targets: ["webimage"]),
        .executable(name: "webimage-gallery", targets: ["webimage-gallery"]),
    ],
    targets: [
        // Policy: knows no library but Foundation.
        .target(name: "WebImageCore"),

        // Mechanism: each C library is imported by exactly one Swift target.
        .target(
            name: "WebImageGraphics",
            dependencies: [
                "WebImageCore", "CWebImagePixelLoops", "CWebImageZimg", "CWebImageYUV", "CWebImageYUVShim",
                "CWebImageLCMS", "CWebImagePixman",
            ]),
        .target(
            name: "WebImageCodecs",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "CWebImageCodecShim", "CWebImageJPEG", "CWebImagePNG",
                "CWebImageWebP", "CWebImageGIF",
            ]),
        .target(name: "WebImageHTTP", dependencies: ["WebImageCore", "CWebImageCurl", "CWebImageCurlShim"]),
        .target(name: "WebImageStore", dependencies: ["WebImageCore", "CWebImageSQLite", "CWebImageDeflate"]),

        // Optional coders: a product each, reached by nothing but the command and the tests.
        .target(name: "WebImageAVIF", dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageAVIF"]),
        .target(name: "WebImageHEIF", dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageHEIF"]),
        .target(name: "WebImageJXL", dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageJXL"]),
        .target(name: "WebImageSVG", dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageRSVG"]),
        .target(name: "WebImageTIFF", dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageTIFF"]),

        // Root: registers the defaults and re-exports Core.
        .target(
            name: "WebImage",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "WebImageHTTP", "WebImageStore", "WebImageCodecs", "CWebImageRoot",
            ]),

        // Service: an HTTP image service as a pure core; the transport stands above it.
        .target(name: "WebImageService", dependencies: ["WebImage"]),
        .target(
            name: "WebImageServer",
            dependencies: ["WebImageService", "WebImageHTTP", "WebImageCore", "CWebImageHTTPShim"]),

        // Names: the original's spelling of what stands above, and no more.
        .target(
            name: "SDWebImage",
            dependencies: [
                "WebImage", "WebImageCore", "WebImageGraphics", "WebImageCodecs", "WebImageHTTP", "WebImageStore",
            ]),
        .target(name: "SDWebImageGTK", dependencies: ["SDWebImage", "WebImageGTK"]),
        // Apart from SDWebImage: Foundation's networking library brings a curl and more into every process.
        .target(name: "SDWebImageFoundationNetworking", dependencies: ["SDWebImage"]),
        .target(name: "SDWebImageWebPCoder", dependencies: ["SDWebImage"]),
        .target(name: "SDWebImageAVIFCoder", dependencies: ["SDWebImage", "WebImageAVIF"]),
        .target(name: "SDWebImageHEIFCoder", dependencies: ["SDWebImage", "WebImageHEIF"]),
        .target(name: "SDWebImageJPEGXLCoder", dependencies: ["SDWebImage", "WebImageJXL"]),
        .target(name: "SDWebImageSVGCoder", dependencies: ["SDWebImage", "WebImageSVG"]),

        // Toolkit.
        .target(name: "WebImageGTK", dependencies: ["WebImageCore", "CWebImageGTK", "CWebImageGTKShim"]),

        // Apps.
        .target(
            name: "WebImageCLI",
            dependencies: [
                "WebImage", "WebImageService", "WebImageServer", "CWebImageGetoptShim", "WebImageAVIF", "WebImageHEIF",
                "WebImageJXL", "WebImageSVG",
                "WebImageTIFF",
            ]),
        .executableTarget(name: "webimage", dependencies: ["WebImageCLI"]),
        .executableTarget(
            name: "webimage-gallery",
            dependencies: [
                "WebImageGTK", "WebImage", "CWebImageGTK", "CWebImageGalleryShim", "WebImageAVIF", "WebImageHEIF",
                "WebImageJXL",
                "WebImageSVG", "WebImageTIFF",
            ]),
        .executableTarget(name: "webimage-demo", dependencies: ["WebImage", "WebImageGraphics", "WebImageTesting"]),

        // Proof.
        .target(name: "WebImageTesting", dependencies: ["WebImageCore"]),
        // Compiles this package's own declarations of librsvg together with the library's headers.
        .systemLibrary(
            name: "CWebImageRSVGHeaders", path: "Tests/Support/CWebImageRSVGHeaders", pkgConfig: "librsvg-2.0",
            providers: [.apt(["librsvg2-dev"])]),
        .target(
            name: "CWebImageRSVGCheck", dependencies: ["CWebImageRSVGHeaders"], path: "Tests/Support/CWebImageRSVGCheck"
        ),
        // Counts allocations in tests alone: it replaces the allocator of the executable it is linked into.
        .target(name: "CWebImageAllocationCounter", path: "Tests/Support/CWebImageAllocationCounter"),
        // Traits of tests: tags of the acceptance list, time limits. Every test target has it, see below.
        .target(
            name: "WebImageTestTraits", dependencies: ["WebImageTesting"], path: "Tests/Support/WebImageTestTraits"),
        .testTarget(
            name: "WebImageCoreTests",
            dependencies: ["WebImageCore", "WebImageTesting", "CWebImageAllocationCounter"]),
        .testTarget(
            name: "WebImageCodecsTests",
            dependencies: ["WebImageCodecs", "WebImageGraphics", "WebImageTesting", "CWebImageYUVShim"]),
        .testTarget(
            name: "OptionalCodersTests",
            dependencies: [
                "WebImage", "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageSVG", "WebImageTIFF",
                "WebImageCodecs", "WebImageGraphics", "WebImageTesting", "CWebImageRSVGCheck",
            ]),
        .testTarget(name: "WebImageHTTPTests", dependencies: ["WebImageHTTP", "WebImageTesting"]),
        .testTarget(name: "WebImageStoreTests", dependencies: ["WebImageStore", "WebImageTesting"]),
        .testTarget(
            name: "WebImageTests",
            dependencies: ["WebImage", "WebImageTesting", "CWebImageAllocationCounter"]),
        .testTarget(
            name: "WebImageServiceTests",
            dependencies: ["WebImageService", "WebImage", "WebImageAVIF", "WebImageTesting"]),
        .testTarget(name: "ReferencePipelineTests", dependencies: ["WebImage", "WebImageTesting"]),
        // A client that sends what no client of a library would.
        .target(
            name: "WebImageServerTesting", dependencies: ["WebImageServer", "WebImageCore"],
            path: "Tests/Support/WebImageServerTesting"),
        .testTarget(
            name: "WebImageServerTests",
            dependencies: [
                "WebImageServer", "WebImageService", "WebImageHTTP", "WebImageTesting", "WebImageServerTesting",
            ]),
        .testTarget(
            name: "WebImageGTKTests",
            dependencies: ["WebImageGTK", "WebImage", "WebImageTesting"]),
        .testTarget(
            name: "WebImageCLITests",
            dependencies: [
                "WebImage", "WebImageCLI", "WebImageService", "WebImageServer", "WebImageTesting",
                "WebImageServerTesting", "webimage",
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "WebImage", "WebImageTesting", "WebImageAVIF", "WebImageHEIF", "WebImageJXL",
                "WebImageSVG", "WebImageTIFF",
            ]),
        // A module with names that user interface toolkits declare as well.
        .target(name: "ClashingToolkit", path: "Tests/Support/ClashingToolkit"),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "WebImage", "WebImageAVIF", "WebImageGTK", "WebImageHTTP", "WebImageTesting", "SDWebImage",
                "ClashingToolkit",
            ]),

        .testTarget(
            name: "SDWebImageTests",
            dependencies: ["SDWebImage", "SDWebImageFoundationNetworking", "WebImageTesting"]),

        // The documents' call sites, in the language mode ported code has and in the newest.
        .testTarget(
            name: "DocumentsTests",
            dependencies: ["SDWebImageGTK", "SDWebImageFoundationNetworking", "WebImageTesting"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "DocumentsMode6Tests", dependencies: ["SDWebImageGTK", "WebImageTesting"]),

        // Shims: what Swift cannot call itself (variadic, macro, setjmp, GObject cast).
        .target(name: "CWebImageCodecShim", dependencies: ["CWebImageJPEG", "CWebImagePNG", "CWebImageDeflate"]),
        .target(name: "CWebImagePixelLoops"),
        .target(name: "CWebImageYUVShim", linkerSettings: [.linkedLibrary("yuv")]),
        .target(name: "CWebImageCurlShim", dependencies: ["CWebImageCurl"]),
        .target(name: "CWebImageHTTPShim", dependencies: ["CWebImageMicroHTTPD"]),
        .target(name: "CWebImageGTKShim", dependencies: ["CWebImageGTK"]),
        .target(name: "CWebImageGalleryShim", dependencies: ["CWebImageAdwaita"]),
        .target(name: "CWebImageRoot"),
        .target(name: "CWebImageGetoptShim"),

        // System libraries.
        .systemLibrary(name: "CWebImageSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CWebImageDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CWebImageJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
        .systemLibrary(name: "CWebImagePNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CWebImageWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CWebImageGIF", providers: [.apt(["libgif-dev"])]),
        .systemLibrary(name: "CWebImageZimg", pkgConfig: "zimg", providers: [.apt(["libzimg-dev"])]),
        .systemLibrary(name: "CWebImageYUV", providers: [.apt(["libyuv-dev"])]),
        .systemLibrary(name: "CWebImagePixman", pkgConfig: "pixman-1", providers: [.apt(["libpixman-1-dev"])]),
        .systemLibrary(name: "CWebImageLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        // These are loaded at run time, by the first download, server or such picture; only headers are needed here.
        .systemLibrary(name: "CWebImageCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CWebImageMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CWebImageAVIF", providers: [.apt(["libavif-dev"])]),
        .systemLibrary(name: "CWebImageHEIF", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "CWebImageJXL", providers: [.apt(["libjxl-dev"])]),
        .systemLibrary(name: "CWebImageRSVG"),
        .systemLibrary(name: "CWebImageTIFF", providers: [.apt(["libtiff-dev"])]),
        .systemLibrary(name: "CWebImageGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        // The gallery's alone.
        .systemLibrary(name: "CWebImageAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
    ],
    swiftLanguageModes: [.v6]
)

// SwiftPM refuses a graph in which two packages declare targets of one name, whatever their conditions say. The original
// declares SDWebImage on every host, and can be used on Apple platforms alone; so this package declares its names on Linux
// hosts alone. A graph that has both there, since a dependency of yours brings the original, sets the variable.
#if os(Linux)
    let declaresNames = Context.environment["WEBIMAGE_WITHOUT_NAMES"] == nil
#else
    let declaresNames = false
#endif
if !declaresNames {
    func isName(_ name: String) -> Bool { name.hasPrefix("SDWebImage") || name.hasPrefix("Documents") }
    func usesNames(_ target: Target) -> Bool {
        target.dependencies.contains { if case .byNameItem(let name, _) = $0 { isName(name) } else { false } }
    }
    package.targets.removeAll { isName($0.name) || usesNames($0) }
    package.products.removeAll { isName($0.name) }
}

// Only where the fuzzer's runtime is linked; a plain build has no driver.
if Context.environment["FUZZ"] != nil {
    package.products.append(.executable(name: "webimage-fuzz", targets: ["webimage-fuzz"]))
    package.targets.append(
        .executableTarget(
            name: "webimage-fuzz",
            dependencies: [
                "WebImage", "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageSVG", "WebImageTIFF",
                "WebImageService", "WebImageServer",
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

for target in package.targets {
    let names = target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
    guard names.contains(where: { $0 == "WebImage" || $0 == "WebImageCLI" || $0.hasPrefix("SDWebImage") }) else {
        continue
    }
    target.dependencies += reexported.filter { !names.contains($0) }.map { .byName(name: $0) }
}

for target in package.targets where target.type == .test {
    target.dependencies.append(.byName(name: "WebImageTestTraits"))
}

// Ported code knows none of these features.
for target in package.targets
where ![.system, .plugin].contains(target.type) && !target.name.hasPrefix("Documents") {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
        ]
}
