import Foundation
import WebImageCore
import WebImageTesting

/// Finds the servers that `Scripts/setup tiers` installs outside of the system's folders.
enum TierTool {
    static func path(_ name: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? "/root")/.local/share"
        let own = "\(data)/swift-web-image/tiers/bin/\(name)"
        return FileManager.default.isExecutableFile(atPath: own) ? own : NginxServer.tool(name)
    }
}

/// Runs SeaweedFS (`weed`), a store with the interface of S3 that checks signatures, on ports of this machine.
package final class SeaweedServer: Sendable {
    package let port: Int
    /// The only access key.
    package let keyID = "WEBIMAGETEST"
    /// The secret has characters that a wrong encoding would change.
    package let secret = "s3cret/+=key"

    private let folder: URL
    private let process: Locked<ChildProcess?>
    private let arguments: [String]

    /// Whether the server is installed.
    package static var isAvailable: Bool { TierTool.path("weed") != nil }

    /// Starts the server and waits until it answers requests, which takes some seconds.
    package init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("webimage-weed-\(UInt32.random(in: .min ... .max))")
        let data = folder.appendingPathComponent("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        let identity = """
            {"identities": [{"name": "test", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
            "credentials": [{"accessKey": "\(keyID)", "secretKey": "\(secret)"}]}]}
            """
        let settings = folder.appendingPathComponent("s3.json")
        try Data(identity.utf8).write(to: settings)
        let ports = try NginxServer.freePorts(8)
        port = ports[0]
        arguments =
            [
                "server", "-dir=\(data.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
                "-s3.config=\(settings.path)", "-master.volumeSizeLimitMB=64", "-volume.max=20",
            ]
            + zip(
                [
                    "s3.port", "s3.port.grpc", "master.port", "master.port.grpc", "volume.port", "volume.port.grpc",
                    "filer.port", "filer.port.grpc",
                ], ports
            ).map { "-\($0)=\($1)" }
        process = Locked(nil)
        try start()
    }

    deinit { stop() }

    /// `http://127.0.0.1:<port>`.
    package var endpoint: String { "http://127.0.0.1:\(port)" }

    /// Starts the server again, with the same port and the objects that it had stored.
    package func start() throws {
        guard let program = TierTool.path("weed") else { throw NginxError("no SeaweedFS (Scripts/setup tiers)") }
        let launched = try ChildProcess(program, arguments)
        process.withLock { $0 = launched }
        // The port accepts connections before the store can serve them; the first request for the list of buckets is
        // answered when it can.
        let isReady = eventually(within: 60) { NginxServer.accepts(port) || !launched.isRunning }
        guard isReady, launched.isRunning else { throw NginxError("SeaweedFS does not answer") }
    }

    /// Ends the server at once.
    package func kill() {
        let running = process.withLock { $0.take() }
        running?.send(SIGKILL)
        running?.wait()
    }

    /// Stops the server's execution: it accepts connections but does not answer. Returns when all its threads have stopped.
    package func pause() { process.withLock { $0 }?.pause() }

    /// Continues a paused server.
    package func resume() { process.withLock { $0 }?.send(SIGCONT) }

    /// Ends the server and removes its objects.
    package func stop() {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }
}
