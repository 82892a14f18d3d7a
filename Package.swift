// swift-tools-version: 6.2
import PackageDescription

// The modules that WebImage re-exports or uses. Every target that depends on WebImage must also name these modules.
// SwiftPM recompiles a target only if a module that the target names has changed. Without these names, a target that
// uses a type of WebImageCore through WebImage would use the old layout after a change of the type.
let reexported = [
    "WebImageCore", "WebImageLoading", "WebImageViews", "WebImageGraphics", "WebImageHTTP", "WebImageStore",
    "WebImageCodecs",
]

let package = Package(
    name: "swift-web-image",
    products: [
        .library(name: "WebImage", targets: ["WebImage"] + reexported),
        .library(name: "WebImageCore", targets: ["WebImageCore"]),
        .library(name: "WebImageLoading", targets: ["WebImageLoading"]),
        .library(name: "WebImageViews", targets: ["WebImageViews"]),
        .library(name: "WebImageGTK", targets: ["WebImageGTK"]),
        .library(name: "WebImageAVIF", targets: ["WebImageAVIF"]),
        .library(name: "WebImageHEIF", targets: ["WebImageHEIF"]),
        .library(name: "WebImageJXL", targets: ["WebImageJXL"]),
        .library(name: "WebImageSVG", targets: ["WebImageSVG"]),
        .library(name: "WebImageTIFF", targets: ["WebImageTIFF"]),
        .library(name: "WebImageJPEG2000", targets: ["WebImageJPEG2000"]),
        .library(name: "WebImageRaw", targets: ["WebImageRaw"]),
        .library(name: "WebImagePDF", targets: ["WebImagePDF"]),
        .library(name: "WebImageLottie", targets: ["WebImageLottie"]),
        .library(name: "WebImageVideo", targets: ["WebImageVideo"]),
        .library(name: "WebImageVideoLoading", targets: ["WebImageVideoLoading"]),
        .library(name: "WebImageLinkPreview", targets: ["WebImageLinkPreview"]),
        .library(name: "WebImageSandbox", targets: ["WebImageSandbox"]),
        .library(name: "WebImageValkey", targets: ["WebImageValkey"]),
        .library(name: "WebImageS3", targets: ["WebImageS3"]),
        .library(name: "WebImageService", targets: ["WebImageService"]),
        .library(name: "WebImageServer", targets: ["WebImageServer"]),
        .library(name: "SDWebImage", targets: ["SDWebImage", "WebImageCompatibility"] + reexported),
        .library(name: "SDWebImageGTK", targets: ["SDWebImageGTK"]),
        .library(name: "SDWebImageFoundationNetworking", targets: ["SDWebImageFoundationNetworking"]),
        .library(name: "SDWebImageWebPCoder", targets: ["SDWebImageWebPCoder"]),
        .library(name: "SDWebImageAVIFCoder", targets: ["SDWebImageAVIFCoder"]),
        .library(name: "SDWebImageHEIFCoder", targets: ["SDWebImageHEIFCoder"]),
        .library(name: "SDWebImageJPEGXLCoder", targets: ["SDWebImageJPEGXLCoder"]),
        .library(name: "SDWebImageSVGCoder", targets: ["SDWebImageSVGCoder"]),
        .library(name: "SDWebImagePDFCoder", targets: ["SDWebImagePDFCoder"]),
        .library(name: "SDWebImageLottieCoder", targets: ["SDWebImageLottieCoder"]),
        .library(name: "SDWebImageVideoCoder", targets: ["SDWebImageVideoCoder"]),
        .library(name: "SDWebImageLinkPlugin", targets: ["SDWebImageLinkPlugin"]),
        .library(name: "WebImageTesting", targets: ["WebImageTesting"]),
        .executable(name: "webimage", targets: ["webimage"]),
        .executable(name: "webimage-gallery", targets: ["webimage-gallery"]),
    ],
    targets: [
        // Policy: pictures and the roles that make them, how a load runs, and what a view shows. These targets use no
        // library except Foundation.
        .target(name: "WebImageCore"),
        .target(name: "WebImageLoading", dependencies: ["WebImageCore"]),
        .target(name: "WebImageViews", dependencies: ["WebImageCore", "WebImageLoading"]),

        // Mechanism: these targets access pixels, files and the network. Exactly one Swift target imports each C
        // library.
        .target(
            name: "WebImageGraphics",
            dependencies: [
                "WebImageCore", "CWebImagePixelLoops", "CWebImageZimg", "CWebImageYUV", "CWebImageLCMS",
                "CWebImagePixman",
            ]),
        .target(
            name: "WebImageCodecs",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "CWebImageCodecShim", "CWebImageJPEG", "CWebImageJPEGThumbnail",
                "CWebImagePNG", "CWebImageWebP", "CWebImageGIF",
            ]),
        .target(
            name: "WebImageHTTP",
            dependencies: [
                "WebImageCore", "WebImageLoading", "CWebImageCurl", "CWebImageCurlShim", "CWebImageSharedLibrary",
            ]),
        .target(
            name: "WebImageStore",
            dependencies: ["WebImageCore", "WebImageLoading", "CWebImageSQLite", "CWebImageDeflate"]),

        // Optional coders. Each coder is a separate product. The main library does not depend on them.
        .target(
            name: "WebImageAVIF",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageAVIF", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageHEIF",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageHEIF", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageJXL",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageJXL", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageSVG",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageRSVG", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageTIFF",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageTIFF", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageJPEG2000",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageJPEG2000", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageLottie",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "WebImageCodecs", "CWebImageLottie", "CWebImageSharedLibrary",
            ]),
        .target(
            name: "WebImagePDF",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImagePDFium", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageVideo",
            dependencies: ["WebImageCore", "WebImageGraphics", "CWebImageVideo", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageRaw",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "WebImageCodecs", "CWebImageRaw", "CWebImageSharedLibrary",
            ]),

        // Pictures of web pages. Decoder processes read pages too, but load nothing. Therefore WebImagePages is separate.
        .target(name: "WebImagePages", dependencies: ["WebImageCore", "CWebImageXML", "CWebImageSharedLibrary"]),
        .target(
            name: "WebImageLinkPreview",
            dependencies: ["WebImageCore", "WebImageLoading", "WebImageHTTP", "WebImagePages"]),
        // Posters of videos on servers. Decoder processes decode videos, but load nothing. Therefore it is no part of
        // WebImageVideo.
        .target(name: "WebImageVideoLoading", dependencies: ["WebImageCore", "WebImageLoading", "WebImageHTTP"]),

        // Cache tiers that several machines share.
        .target(name: "WebImageValkey", dependencies: ["WebImageCore", "WebImageLoading", "WebImageHTTP"]),
        .target(name: "WebImageS3", dependencies: ["WebImageCore", "WebImageLoading", "WebImageHTTP"]),

        // Decoder processes.
        .target(
            name: "WebImageSandbox",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "WebImageCodecs", "WebImageAVIF", "WebImageHEIF", "WebImageJXL",
                "WebImageSVG", "WebImageTIFF", "WebImageJPEG2000", "WebImageRaw", "WebImageLottie", "WebImagePDF",
                "WebImageVideo", "WebImagePages", "CWebImageSandbox",
            ]),

        // Root. This target registers the defaults and re-exports WebImageCore, WebImageLoading, WebImageViews,
        // WebImageGraphics and WebImageHTTP.
        .target(
            name: "WebImage",
            dependencies: [
                "WebImageCore", "WebImageLoading", "WebImageViews", "WebImageGraphics", "WebImageHTTP", "WebImageStore",
                "WebImageCodecs", "CWebImageRoot",
            ]),

        // HTTP image service. WebImageService creates a response for each request. WebImageServer accepts the
        // connections.
        .target(name: "WebImageService", dependencies: ["WebImage", "WebImageS3", "WebImageVideoLoading"]),
        .target(
            name: "WebImageServer",
            dependencies: ["WebImageService", "WebImageHTTP", "WebImageCore", "WebImageLoading", "CWebImageHTTPShim"]),

        // What only ported code needs: members with completion blocks, options without an effect.
        .target(
            name: "WebImageCompatibility", dependencies: ["WebImageCore", "WebImageLoading", "WebImageHTTP"]),
        // SDWebImage's names for the declarations of the targets above.
        .target(
            name: "SDWebImage",
            dependencies: [
                "WebImageCompatibility", "WebImage", "WebImageCore", "WebImageLoading", "WebImageViews",
                "WebImageGraphics",
                "WebImageCodecs", "WebImageHTTP", "WebImageStore",
            ]),
        .target(name: "SDWebImageGTK", dependencies: ["SDWebImage", "WebImageGTK"]),
        // This target is separate from SDWebImage, because Foundation's networking library loads a second libcurl and
        // other libraries into every process that uses the target.
        .target(name: "SDWebImageFoundationNetworking", dependencies: ["SDWebImage"]),
        .target(name: "SDWebImageWebPCoder", dependencies: ["SDWebImage"]),
        .target(name: "SDWebImageAVIFCoder", dependencies: ["SDWebImage", "WebImageAVIF"]),
        .target(name: "SDWebImageHEIFCoder", dependencies: ["SDWebImage", "WebImageHEIF"]),
        .target(name: "SDWebImageJPEGXLCoder", dependencies: ["SDWebImage", "WebImageJXL"]),
        .target(name: "SDWebImageSVGCoder", dependencies: ["SDWebImage", "WebImageSVG"]),
        .target(name: "SDWebImagePDFCoder", dependencies: ["SDWebImage", "WebImagePDF"]),
        .target(name: "SDWebImageLottieCoder", dependencies: ["SDWebImage", "WebImageLottie"]),
        .target(name: "SDWebImageVideoCoder", dependencies: ["SDWebImage", "WebImageVideo"]),
        .target(name: "SDWebImageLinkPlugin", dependencies: ["SDWebImage", "WebImageLinkPreview"]),

        // User interface toolkit.
        .target(
            name: "WebImageGTK",
            dependencies: [
                "WebImageCore", "WebImageGraphics", "WebImageLoading", "WebImageViews", "CWebImageGTK",
                "CWebImageGTKShim",
            ]),

        // Apps.
        .target(name: "WebImageCommandLine"),
        .target(
            name: "WebImageCLI",
            dependencies: [
                "WebImage", "WebImageService", "WebImageServer", "WebImageSandbox", "WebImageValkey", "WebImageS3",
                "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageSVG", "WebImageTIFF", "WebImageJPEG2000",
                "WebImageRaw", "WebImageLottie", "WebImagePDF", "WebImageVideo", "WebImageVideoLoading",
                "WebImageLinkPreview", "WebImageCommandLine",
            ]),
        .executableTarget(name: "webimage", dependencies: ["WebImageCLI"]),
        .executableTarget(
            name: "webimage-gallery",
            dependencies: [
                "WebImageGTK", "WebImage", "CWebImageGTK", "CWebImageGalleryShim", "WebImageAVIF", "WebImageHEIF",
                "WebImageJXL", "WebImageSVG", "WebImageSandbox", "WebImageTIFF", "WebImageJPEG2000", "WebImageRaw",
                "WebImageLottie", "WebImagePDF", "WebImageVideo", "WebImageLinkPreview", "WebImageCommandLine",
            ]),
        .executableTarget(name: "webimage-demo", dependencies: ["WebImage", "WebImageGraphics", "WebImageTesting"]),

        // Tests.
        .target(name: "WebImageTesting", dependencies: ["WebImageCore", "WebImageLoading", "WebImageViews"]),
        // CWebImageRSVG declares functions of librsvg without librsvg's headers. These two targets compile these
        // declarations together with the headers. If the declarations differ from the headers, the build fails.
        .systemLibrary(
            name: "CWebImageRSVGHeaders", path: "Tests/Support/CWebImageRSVGHeaders", pkgConfig: "librsvg-2.0",
            providers: [.apt(["librsvg2-dev"])]),
        .target(
            name: "CWebImageRSVGCheck", dependencies: ["CWebImageRSVGHeaders", "CWebImageSharedLibrary"],
            path: "Tests/Support/CWebImageRSVGCheck"),
        // The same for CWebImageXML.
        .systemLibrary(
            name: "CWebImageXMLHeaders", path: "Tests/Support/CWebImageXMLHeaders", pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"])]),
        .target(
            name: "CWebImageXMLCheck", dependencies: ["CWebImageXMLHeaders", "CWebImageSharedLibrary"],
            path: "Tests/Support/CWebImageXMLCheck"),
        // Writes JPEG files with every sampling, restart interval and order of scans, and decodes them with libjpeg-turbo.
        .target(
            name: "CWebImageJPEGSamples", dependencies: ["CWebImageJPEG"], path: "Tests/Support/CWebImageJPEGSamples"),
        // Counts allocations. Only tests use this target, because it replaces the allocator of the executable.
        .target(name: "CWebImageAllocationCounter", path: "Tests/Support/CWebImageAllocationCounter"),
        // What only the tests of this package need: the model of the pipeline, made pictures and files, servers. A loop at
        // the end of this file makes every test target depend on it and on the next target.
        .target(
            name: "WebImageTestSupport",
            dependencies: ["WebImageTesting", "WebImageCore", "WebImageLoading", "WebImageViews"],
            path: "Tests/Support/WebImageTestSupport"),
        // Traits of tests, such as time limits, and tags for the rows of the acceptance list.
        .target(
            name: "WebImageTestTraits", dependencies: ["WebImageTesting"], path: "Tests/Support/WebImageTestTraits"),
        .target(name: "CWebImageSandboxAttempts", path: "Tests/Support/CWebImageSandboxAttempts"),
        .testTarget(
            name: "WebImageSandboxTests",
            dependencies: [
                "WebImageSandbox", "WebImageTesting", "WebImage", "WebImageAVIF", "WebImageCodecs", "WebImageGraphics",
                "WebImageHEIF", "WebImageJXL", "WebImageSVG", "WebImageVideo",
                "CWebImageAllocationCounter", "CWebImageSandboxAttempts",
            ]),
        .testTarget(
            name: "WebImageValkeyTests",
            dependencies: ["WebImageValkey", "WebImageCore", "WebImageLoading", "WebImageHTTP", "WebImageTesting"]),
        .testTarget(
            name: "WebImageS3Tests",
            dependencies: ["WebImageS3", "WebImageCore", "WebImageLoading", "WebImageHTTP", "WebImageTesting"]),
        .testTarget(
            name: "WebImageCoreTests",
            dependencies: [
                "WebImageCore", "WebImageLoading", "WebImageViews", "WebImageCompatibility", "WebImageTesting",
                "CWebImageAllocationCounter",
            ]),
        .testTarget(
            name: "WebImageCodecsTests",
            dependencies: [
                "WebImageCodecs", "WebImageGraphics", "WebImageTesting", "CWebImageCodecShim", "CWebImagePixelLoops",
                "CWebImageJPEGThumbnail", "CWebImageJPEGSamples",
            ]),
        .testTarget(
            name: "OptionalCodersTests",
            dependencies: [
                "WebImage", "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageSVG", "WebImageTIFF",
                "WebImageJPEG2000", "WebImageRaw", "WebImageLottie", "WebImagePDF", "WebImageVideo",
                "CWebImageJPEG2000",
                "CWebImageSharedLibrary",
                "WebImageCodecs", "WebImageGraphics", "WebImageTesting", "CWebImageRSVGCheck",
            ]),
        .testTarget(
            name: "WebImageHTTPTests", dependencies: ["WebImageHTTP", "WebImageCompatibility", "WebImageTesting"]),
        .testTarget(
            name: "LinkPreviewTests",
            dependencies: [
                "WebImageLinkPreview", "WebImagePages", "WebImageSandbox", "WebImage", "WebImageHTTP",
                "WebImageTesting",
                "CWebImageXMLCheck",
            ]),
        .testTarget(
            name: "VideoLoadingTests",
            dependencies: [
                "WebImageVideoLoading", "WebImageVideo", "WebImageSandbox", "WebImage", "WebImageHTTP",
                "WebImageTesting",
            ]),
        .testTarget(name: "WebImageStoreTests", dependencies: ["WebImageStore", "WebImageTesting"]),
        .testTarget(
            name: "WebImageTests",
            dependencies: [
                "WebImage", "WebImageCompatibility", "WebImageTesting", "WebImageValkey", "CWebImageAllocationCounter",
            ]),
        .testTarget(
            name: "WebImageServiceTests",
            dependencies: [
                "WebImageService", "WebImage", "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageS3",
                "WebImageSVG", "WebImageSandbox", "WebImageTIFF", "WebImagePDF", "WebImageVideo", "WebImageTesting",
            ]),
        .testTarget(name: "ReferencePipelineTests", dependencies: ["WebImage", "WebImageTesting"]),
        // A test client that can send invalid HTTP requests. The client of an HTTP library cannot send them.
        .target(
            name: "WebImageServerTesting", dependencies: ["WebImageServer", "WebImageCore", "WebImageLoading"],
            path: "Tests/Support/WebImageServerTesting"),
        .testTarget(
            name: "WebImageServerTests",
            dependencies: [
                "WebImageServer", "WebImageService", "WebImageHTTP", "WebImageTesting", "WebImageServerTesting",
            ]),
        .testTarget(
            name: "WebImageGTKTests",
            dependencies: ["WebImageGTK", "WebImage", "WebImageGraphics", "WebImageTesting"]),
        .testTarget(
            name: "WebImageCLITests",
            dependencies: [
                "WebImage", "WebImageCLI", "WebImageCommandLine", "WebImageService", "WebImageServer", "WebImageS3",
                "WebImageValkey", "WebImageTesting", "WebImageServerTesting", "webimage", "CWebImageSandboxAttempts",
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "WebImage", "WebImageTesting", "WebImageAVIF", "WebImageHEIF", "WebImageJXL",
                "WebImageSVG", "WebImageTIFF", "WebImageSandbox",
            ]),
        // A module that declares the same type names as some user interface toolkits. A test imports this module and
        // WebImage in one file, and checks that the file compiles.
        .target(name: "ClashingToolkit", path: "Tests/Support/ClashingToolkit"),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "WebImage", "WebImageAVIF", "WebImageGTK", "WebImageHTTP", "WebImageSandbox", "WebImageServer",
                "WebImageService", "WebImageTesting", "WebImageValkey", "WebImageS3", "WebImageLinkPreview",
                "SDWebImage",
                "ClashingToolkit",
            ]),

        .testTarget(
            name: "SDWebImageTests",
            dependencies: ["SDWebImage", "SDWebImageFoundationNetworking", "WebImageTesting"]),

        // Code examples from SDWebImage's documents. DocumentsTests compiles them in Swift language mode 5, which
        // ported code uses. DocumentsMode6Tests compiles them in language mode 6, the newest mode.
        .testTarget(
            name: "DocumentsTests",
            dependencies: ["SDWebImageGTK", "SDWebImageFoundationNetworking", "WebImageTesting"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "DocumentsMode6Tests", dependencies: ["SDWebImageGTK", "WebImageTesting"]),

        // Shims. Their C functions make features available that Swift cannot call or express, such as variadic
        // functions, macros, setjmp and GObject casts.
        .target(
            name: "CWebImageCodecShim",
            dependencies: ["CWebImageJPEG", "CWebImageJPEGThumbnail", "CWebImagePNG", "CWebImageDeflate"]),
        .target(name: "CWebImagePixelLoops", linkerSettings: [.linkedLibrary("yuv")]),
        // Decodes JPEG at 1/8. It uses no library.
        .target(name: "CWebImageJPEGThumbnail"),
        // Tables of the functions of libraries that are loaded at run time. The modules of these libraries include its
        // header, so each target that imports one of them depends on it.
        .target(name: "CWebImageSharedLibrary"),
        .target(name: "CWebImageCurlShim", dependencies: ["CWebImageCurl", "CWebImageSharedLibrary"]),
        .target(name: "CWebImageHTTPShim"),
        .target(name: "CWebImageGTKShim", dependencies: ["CWebImageGTK"]),
        .target(name: "CWebImageGalleryShim", dependencies: ["CWebImageAdwaita"]),
        .target(name: "CWebImageRoot"),
        .target(name: "CWebImageSandbox"),

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
        // The package loads the following libraries, up to CWebImageVideo, at run time: libcurl for the first download,
        // and each other library for the first picture of its format. The build needs only their headers.
        .systemLibrary(name: "CWebImageCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CWebImageAVIF", providers: [.apt(["libavif-dev"])]),
        .systemLibrary(name: "CWebImageHEIF", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "CWebImageJXL", providers: [.apt(["libjxl-dev"])]),
        .systemLibrary(name: "CWebImageRSVG"),
        .systemLibrary(name: "CWebImageTIFF", providers: [.apt(["libtiff-dev"])]),
        .systemLibrary(name: "CWebImageJPEG2000", providers: [.apt(["libopenjp2-7-dev"])]),
        .systemLibrary(name: "CWebImageRaw", providers: [.apt(["libraw-dev"])]),
        .systemLibrary(name: "CWebImagePDFium"),
        .systemLibrary(name: "CWebImageXML"),
        .systemLibrary(name: "CWebImageLottie", providers: [.apt(["librlottie-dev"])]),
        .systemLibrary(name: "CWebImageVideo", providers: [.apt(["libavformat-dev", "libswscale-dev"])]),
        .systemLibrary(name: "CWebImageGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        // Only the gallery uses this library.
        .systemLibrary(name: "CWebImageAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
    ],
    swiftLanguageModes: [.v6]
)

// SwiftPM refuses a package graph in which two packages declare targets with the same name, even if the conditions of
// the targets exclude each other. The original SDWebImage package declares the target SDWebImage on every host, but
// supports only Apple platforms. Therefore this package declares the targets with SDWebImage's names only on Linux
// hosts. If another dependency adds the original package to the graph on Linux, set the environment variable
// WEBIMAGE_WITHOUT_NAMES. Then this package does not declare these targets.
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

// Declare the fuzzer only if `FUZZ` is set, because a plain build does not link libFuzzer's driver.
if Context.environment["FUZZ"] != nil {
    package.products.append(.executable(name: "webimage-fuzz", targets: ["webimage-fuzz"]))
    package.targets.append(
        .executableTarget(
            name: "webimage-fuzz",
            dependencies: [
                "WebImage", "WebImageAVIF", "WebImageHEIF", "WebImageJXL", "WebImageSVG", "WebImageTIFF",
                "WebImageJPEG2000", "WebImageRaw", "WebImageLottie", "WebImagePDF", "WebImageVideo",
                "WebImageLinkPreview",
                "WebImageSandbox",
                "WebImageService",
                "WebImageServer",
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

// While one edits, a build of few test targets takes a fraction of the time:
// WEBIMAGE_TESTS="WebImageCoreTests,WebImageTests" swift build --product swift-web-imagePackageTests
if let wanted = Context.environment["WEBIMAGE_TESTS"], !wanted.isEmpty {
    let names = wanted.split(separator: ",").map(String.init)
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

for target in package.targets where target.type == .test {
    target.dependencies += [.byName(name: "WebImageTestSupport"), .byName(name: "WebImageTestTraits")]
}

// Enable these language features for all Swift targets except the targets named "Documents…". Those targets contain
// code that was written for SDWebImage and does not use the features.
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
