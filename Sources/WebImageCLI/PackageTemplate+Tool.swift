extension PackageTemplate {
    /// The files of a command-line program.
    static let tool = [
        File(
            path: "Package.swift",
            text: """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "{{NAME}}",
                    dependencies: [{{DEPENDENCY}}],
                    targets: [
                        .executableTarget(name: "{{NAME}}", dependencies: ["{{TYPE}}Kit"]),
                        .target(
                            name: "{{TYPE}}Kit", dependencies: [.product(name: "WebImage", package: "{{PACKAGE}}")]),
                        .testTarget(name: "{{TYPE}}KitTests", dependencies: ["{{TYPE}}Kit"]),
                    ]
                )

                """),
        File(
            path: "Sources/{{NAME}}/{{TYPE}}.swift",
            text: """
                import Foundation
                import WebImage
                import {{TYPE}}Kit

                /// Writes a small WebP of each picture into the working directory: {{NAME}} SIDE FILE-OR-URL...
                @main
                struct {{TYPE}} {
                    static func main() async {
                        let arguments = Array(CommandLine.arguments.dropFirst())
                        guard let side = arguments.first.flatMap({ Int($0) }), side > 0, arguments.count > 1 else {
                            FileHandle.standardError.write(Data("usage: {{NAME}} SIDE FILE-OR-URL...\\n".utf8))
                            exit(1)
                        }
                        var failures = 0
                        for name in arguments.dropFirst() {
                            do {
                                let source = Source(name)
                                let file = URL(fileURLWithPath: source.outputName(side: side))
                                try await SmallPicture.data(of: source.url, side: side).write(to: file, options: .atomic)
                                print(file.lastPathComponent)
                            } catch {
                                failures += 1
                                FileHandle.standardError.write(Data("{{NAME}}: \\(name): \\(error)\\n".utf8))
                            }
                        }
                        // Wait until stored data is on disk before the process ends.
                        _ = await WebImageManager.shared.shutdown()
                        exit(failures == 0 ? 0 : 2)
                    }
                }

                """),
        File(
            path: "Sources/{{TYPE}}Kit/SmallPicture.swift",
            text: """
                public import Foundation
                public import WebImage

                /// A picture named on the command line.
                public struct Source: Sendable {
                    /// The URL; for a path, the URL of the file.
                    public let url: URL

                    public init(_ name: String) {
                        url = name.contains("://") ? URL(string: name) ?? URL(fileURLWithPath: name) : URL(fileURLWithPath: name)
                    }

                    /// The name of the small file.
                    public func outputName(side: Int) -> String {
                        "\\(url.deletingPathExtension().lastPathComponent)-\\(side).webp"
                    }
                }

                public enum SmallPicture {
                    /// The picture, or the first frame of an animation, as WebP within a square of `side` pixels.
                    public static func data(of url: URL, side: Int) async throws(WebImageError) -> Data {
                        let image = try await WebImageManager.shared.image(
                            for: url, options: .decodeFirstFrameOnly,
                            context: [.imageThumbnailPixelSize: CGSize(width: side, height: side)])
                        var options = EncodingOptions()
                        options.quality = 0.8
                        return try ImageCodersManager.shared.encode(image, format: .webP, options: options)
                    }
                }

                """),
        File(
            path: "Tests/{{TYPE}}KitTests/SmallPictureTests.swift",
            text: """
                import Foundation
                import Testing
                import WebImage
                import {{TYPE}}Kit

                @Test func namesAreFilesOrURLs() {
                    #expect(Source("https://example.org/a/b.png").url.host == "example.org")
                    #expect(Source("a/b.png").url.isFileURL)
                    #expect(Source("a/b.png").outputName(side: 20) == "b-20.webp")
                }

                @Test func aSmallPictureFitsTheSquare() async throws {
                    let pixels = try PixelBuffer(width: 40, height: 20, format: .rgba8)
                    pixels.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = 255 } }
                    let file = FileManager.default.temporaryDirectory.appendingPathComponent("{{NAME}}-test.png")
                    defer { try? FileManager.default.removeItem(at: file) }
                    try ImageCodersManager.shared.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
                        .write(to: file)
                    let small = try await SmallPicture.data(of: file, side: 10)
                    let info = try ImageCodersManager.shared.imageInfo(of: small, limits: .default)
                    #expect(info.format == .webP && info.pixelSize == PixelSize(width: 10, height: 5))
                }

                """),
        File(
            path: "README.md",
            text: """
                # {{NAME}}

                Writes small pictures.

                ```sh
                swift test
                swift run {{NAME}} 320 PICTURE-OR-URL...
                ```

                """),
    ]
}
