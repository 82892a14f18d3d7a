extension PackageTemplate {
    /// The files of an HTTP service.
    static let server = [
        File(
            path: "Package.swift",
            text: """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "{{NAME}}",
                    dependencies: [{{DEPENDENCY}}],
                    targets: [
                        .executableTarget(
                            name: "{{NAME}}",
                            dependencies: ["{{TYPE}}Kit", .product(name: "WebImageServer", package: "{{PACKAGE}}")]),
                        .target(
                            name: "{{TYPE}}Kit",
                            dependencies: [
                                .product(name: "WebImage", package: "{{PACKAGE}}"),
                                .product(name: "WebImageServer", package: "{{PACKAGE}}"),
                                .product(name: "WebImageService", package: "{{PACKAGE}}"),
                            ]),
                        .testTarget(
                            name: "{{TYPE}}KitTests",
                            dependencies: ["{{TYPE}}Kit", .product(name: "WebImageTesting", package: "{{PACKAGE}}")]),
                    ]
                )

                """),
        File(
            path: "Sources/{{NAME}}/{{TYPE}}.swift",
            text: """
                import Foundation
                import WebImageServer
                import WebImageService
                import {{TYPE}}Kit

                /// Serves small pictures: {{NAME}} [ADDRESS:PORT]
                @main
                struct {{TYPE}} {
                    static func main() async {
                        do {
                            let address = try ListenAddress(CommandLine.arguments.dropFirst().first ?? "127.0.0.1:8080")
                            let configuration = try Settings.configuration(
                                ProcessInfo.processInfo.environment, isOpen: !address.isLoopback)
                            let service = try ImageService(configuration: configuration)
                            let server = try HTTPServer(listening: [address]) { await service.respond(to: $0) }
                            let targets = configuration.requiresSignature ? "signed" : "unsigned"
                            let places = server.addresses.map { "\\($0)" }.joined(separator: ", ")
                            print("{{NAME}} serves \\(targets) targets on \\(places)")
                            fflush(nil)
                            await Termination.wait()
                            // Running requests finish; new ones are refused.
                            service.beginDraining()
                            await server.stop(within: .seconds(20))
                            await service.shutdown()
                        } catch {
                            FileHandle.standardError.write(Data("{{NAME}}: \\(error)\\n".utf8))
                            exit(1)
                        }
                    }
                }

                /// SIGTERM (systemd) and SIGINT (Control-C).
                enum Termination {
                    static func wait() async {
                        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
                        let sources = [SIGTERM, SIGINT].map { number in
                            signal(number, SIG_IGN)
                            let source = DispatchSource.makeSignalSource(signal: number)
                            source.setEventHandler { continuation.yield() }
                            source.resume()
                            return source
                        }
                        for await _ in signals { break }
                        sources.forEach { $0.cancel() }
                    }
                }

                """),
        File(
            path: "Sources/{{TYPE}}Kit/Settings.swift",
            text: """
                import Foundation
                public import WebImageService

                /// A variable of the environment that cannot be used.
                public struct SettingError: Error, CustomStringConvertible {
                    public let description: String

                    init(_ description: String) { self.description = description }
                }

                public enum Settings {
                    /// The settings from the environment: `PICTURES`, a folder whose pictures are served as
                    /// `local:///NAME`; `SOURCES`, prefixes of other servers' URLs with spaces between; `KEY` and `SALT`
                    /// (hexadecimal), with which URLs must be signed; `CACHE_DIRECTORY`, set by systemd. With neither
                    /// `PICTURES` nor `SOURCES` the folder `pictures` of the working directory is served.
                    ///
                    /// - Parameter isOpen: Whether other machines can connect. Then `KEY` and `SALT` are required, because
                    ///   without signatures every client can make the service fetch and decode any picture.
                    public static func configuration(
                        _ environment: [String: String], isOpen: Bool = false
                    ) throws(SettingError) -> ServiceConfiguration {
                        let set = environment.filter { !$0.value.isEmpty }
                        let advice = "make each with 'openssl rand -hex 32'"
                        guard (set["KEY"] == nil) == (set["SALT"] == nil) else {
                            throw SettingError(
                                "\\(set["KEY"] == nil ? "KEY" : "SALT") is not set; set both KEY and SALT, or neither (\\(advice))")
                        }
                        guard !isOpen || set["KEY"] != nil else {
                            throw SettingError(
                                "other machines could use this service without a signature; "
                                    + "set KEY and SALT (\\(advice)), or listen on 127.0.0.1")
                        }
                        let others = set["SOURCES"]?.split(separator: " ").map(String.init) ?? []
                        let root = set["PICTURES"] ?? (others.isEmpty ? "pictures" : nil)
                        var isFolder: ObjCBool = false
                        if let root, !FileManager.default.fileExists(atPath: root, isDirectory: &isFolder) || !isFolder.boolValue {
                            throw SettingError(
                                "there is no folder \\(root); set PICTURES to a folder of pictures, "
                                    + "or SOURCES to the beginnings of URLs, such as https://example.org/")
                        }
                        var configuration = ServiceConfiguration()
                        configuration.root = root ?? ""
                        configuration.allowedSources = (root == nil ? [] : ["local://"]) + others
                        configuration.keys = set["KEY"].map { [$0] } ?? []
                        configuration.salts = set["SALT"].map { [$0] } ?? []
                        configuration.cacheFolder = set["CACHE_DIRECTORY"] ?? ""
                        // AVIF is a separate product: add WebImageAVIF, and its coder to ImageCodersManager.shared.
                        configuration.offersAVIF = false
                        return configuration
                    }
                }

                """),
        File(
            path: "Tests/{{TYPE}}KitTests/SettingsTests.swift",
            text: """
                import Foundation
                import Testing
                import WebImageService
                import {{TYPE}}Kit

                @Test func theEnvironmentDecides() throws {
                    let configuration = try Settings.configuration(["PICTURES": "/usr", "KEY": "00ff", "SALT": "aa"])
                    #expect(configuration.root == "/usr" && configuration.requiresSignature)
                    #expect(configuration.allowedSources == ["local://"])
                    let both = try Settings.configuration(["PICTURES": "/usr", "SOURCES": "https://a/ https://b/"])
                    #expect(both.allowedSources == ["local://", "https://a/", "https://b/"])
                    let others = try Settings.configuration(["SOURCES": "https://a/"])
                    #expect(others.root.isEmpty && others.allowedSources == ["https://a/"] && !others.requiresSignature)
                }

                @Test(arguments: [
                    ["KEY": "00ff"], ["SALT": "aa"], ["KEY": "00ff", "SLAT": "aa"], ["KEY": "", "SALT": "aa"],
                    ["PICTURES": "/nonexistent"],
                ]) func wrongVariablesAreErrors(_ environment: [String: String]) {
                    #expect(throws: SettingError.self) { try Settings.configuration(environment) }
                }

                @Test func otherMachinesNeedSignatures() throws {
                    let pictures = ["PICTURES": "/usr"]
                    #expect(throws: SettingError.self) { try Settings.configuration(pictures, isOpen: true) }
                    let keys = pictures.merging(["KEY": "00ff", "SALT": "aa"]) { $1 }
                    #expect(try Settings.configuration(keys, isOpen: true).requiresSignature)
                }

                @Test func aServiceAnswers() async throws {
                    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("{{NAME}}-\\(UUID())")
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    defer { try? FileManager.default.removeItem(at: folder) }
                    // The smallest kind of picture file: a BMP of one red pixel.
                    let bmp: [UInt8] =
                        [66, 77, 58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
                        + [UInt8](repeating: 0, count: 24) + [0, 0, 255, 0]
                    try Data(bmp).write(to: folder.appendingPathComponent("red.bmp"))
                    let service = try ImageService(configuration: Settings.configuration(["PICTURES": folder.path]))
                    #expect(await service.respond(to: ServiceRequest(target: "/healthz")).status == 200)
                    let red = "/_/rs:fit:100:100/plain/local:///red.bmp@png"
                    #expect(await service.respond(to: ServiceRequest(target: red)).status == 200)
                    // Without SOURCES no other source is allowed.
                    let target = "/_/rs:fit:100:100/plain/https://example.org/a.png"
                    #expect(await service.respond(to: ServiceRequest(target: target)).status == 403)
                }

                """),
        File(
            path: "pictures/README.md",
            text: """
                The service serves the pictures in this folder as `local:///NAME`, unless `PICTURES` names another folder.

                """),
        File(
            path: "Data/{{NAME}}.service",
            text: """
                [Unit]
                Description={{TITLE}}, an HTTP service that scales pictures down
                After=network-online.target
                Wants=network-online.target

                [Service]
                ExecStart=/usr/local/bin/{{NAME}} 127.0.0.1:8080
                # The folder whose pictures are served, and the signing keys: KEY=... and SALT=...
                Environment=PICTURES=/srv/{{NAME}}
                EnvironmentFile=-/etc/{{NAME}}.env
                Restart=on-failure
                TimeoutStopSec=30

                # A user of its own that may read the system and write its cache, and nothing else.
                DynamicUser=yes
                CacheDirectory={{NAME}}
                ProtectSystem=strict
                ProtectHome=yes
                PrivateTmp=yes
                PrivateDevices=yes
                NoNewPrivileges=yes
                ProtectKernelTunables=yes
                ProtectKernelModules=yes
                ProtectControlGroups=yes
                RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
                RestrictNamespaces=yes
                LockPersonality=yes
                MemoryDenyWriteExecute=yes
                SystemCallArchitectures=native
                CapabilityBoundingSet=
                UMask=0077
                MemoryMax=1G

                [Install]
                WantedBy=multi-user.target

                """),
        File(
            path: "README.md",
            text: """
                # {{NAME}}

                Makes pictures small over HTTP, by the URLs of imgproxy; with `thumborPrefix` in `Settings.swift` also by
                those of thumbor.

                ```sh
                swift test
                cp PICTURE.jpg pictures
                swift run {{NAME}}
                curl -o small.webp http://127.0.0.1:8080/_/rs:fit:320:320/plain/local:///PICTURE.jpg@webp
                ```

                `PICTURES` names another folder, and `SOURCES` the beginnings of URLs of other servers whose pictures may be
                fetched, with spaces between: `SOURCES=https://example.org/ swift run {{NAME}} 127.0.0.1:8080`.

                On the open network set `KEY` and `SALT` (each made by `openssl rand -hex 32`), so that only URLs that you signed
                are answered, and put a proxy in front for TLS. Without both, the program refuses to listen beyond this machine.
                `Data/{{NAME}}.service` is a unit for systemd:

                ```sh
                sudo mkdir -p /srv/{{NAME}}
                swift build -c release
                sudo install .build/release/{{NAME}} /usr/local/bin/
                sudo install -m 644 Data/{{NAME}}.service /etc/systemd/system/
                sudo systemctl enable --now {{NAME}}
                ```

                """),
    ]
}
