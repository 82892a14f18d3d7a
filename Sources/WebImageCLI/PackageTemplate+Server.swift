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
                            name: "{{TYPE}}Kit", dependencies: [.product(name: "WebImageService", package: "{{PACKAGE}}")]),
                        .testTarget(name: "{{TYPE}}KitTests", dependencies: ["{{TYPE}}Kit"]),
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
                            let configuration = Settings.configuration(ProcessInfo.processInfo.environment)
                            let service = try ImageService(configuration: configuration)
                            let address = try ListenAddress(CommandLine.arguments.dropFirst().first ?? "127.0.0.1:8080")
                            let server = try HTTPServer(listening: [address]) { await service.respond(to: $0) }
                            print("{{NAME}} listens on \\(server.addresses.map { "\\($0)" }.joined(separator: ", "))")
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
                public import WebImageService

                public enum Settings {
                    /// The settings from the environment: `PICTURES`, a folder whose pictures are served as
                    /// `local:///NAME`; `SOURCES`, prefixes of other servers' URLs with spaces between; `KEY` and `SALT`
                    /// (hexadecimal), with which URLs must be signed; `CACHE_DIRECTORY`, set by systemd.
                    public static func configuration(_ environment: [String: String]) -> ServiceConfiguration {
                        var configuration = ServiceConfiguration()
                        configuration.root = environment["PICTURES"] ?? ""
                        configuration.allowedSources =
                            environment["SOURCES"]?.split(separator: " ").map(String.init) ?? ["local://"]
                        if let key = environment["KEY"], let salt = environment["SALT"] {
                            configuration.keys = [key]
                            configuration.salts = [salt]
                        }
                        configuration.cacheFolder = environment["CACHE_DIRECTORY"] ?? ""
                        // AVIF is a separate product: add WebImageAVIF, and its coder to ImageCodersManager.shared.
                        configuration.offersAVIF = false
                        return configuration
                    }
                }

                """),
        File(
            path: "Tests/{{TYPE}}KitTests/SettingsTests.swift",
            text: """
                import Testing
                import WebImageService
                import {{TYPE}}Kit

                @Test func theEnvironmentDecides() {
                    let configuration = Settings.configuration(["PICTURES": "/srv/pictures", "KEY": "00ff", "SALT": "aa"])
                    #expect(configuration.root == "/srv/pictures" && configuration.requiresSignature)
                    #expect(Settings.configuration(["SOURCES": "https://a/ https://b/"]).allowedSources.count == 2)
                    #expect(!Settings.configuration([:]).requiresSignature)
                }

                @Test func aServiceAnswers() async throws {
                    let service = try ImageService(configuration: Settings.configuration([:]))
                    #expect(await service.respond(to: ServiceRequest(target: "/healthz")).status == 200)
                    // Without PICTURES and SOURCES no source is allowed.
                    let target = "/_/rs:fit:100:100/plain/https://example.org/a.png"
                    #expect(await service.respond(to: ServiceRequest(target: target)).status >= 400)
                }

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

                Makes pictures small over HTTP, by the URLs of imgproxy and thumbor.

                ```sh
                swift test
                PICTURES=/path/of/a/folder swift run {{NAME}} 127.0.0.1:8080
                curl -o small.webp http://127.0.0.1:8080/_/rs:fit:320:320/plain/local:///NAME.jpg@webp
                ```

                On the open network set `KEY` and `SALT` (hexadecimal), so that only URLs that you signed are answered, and put a
                proxy in front for TLS. `Data/{{NAME}}.service` is a unit for systemd:

                ```sh
                swift build -c release
                sudo install .build/release/{{NAME}} /usr/local/bin/
                sudo install -m 644 Data/{{NAME}}.service /etc/systemd/system/
                sudo systemctl enable --now {{NAME}}
                ```

                """),
    ]
}
