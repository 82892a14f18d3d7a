import Foundation
import Testing

/// The servers of `Benchmarks/service` and their children end with it, however it ends.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServerGroupTests {
    private static let script = """
        import importlib.machinery, importlib.util, sys, time
        loader = importlib.machinery.SourceFileLoader("service", sys.argv[1])
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("service", loader))
        loader.exec_module(module)
        module.stop_at_the_end()
        port = module.free_port()
        command = ["sh", "-c", f"sleep 600 & echo $! > {sys.argv[2]}; {sys.executable} -m http.server {port}"]
        server = module.Server("own", command, lambda picture: picture, port)
        print("ready", flush=True)
        time.sleep(600)
        """

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL])
    func childrenOfServersEndWithTheBenchmark(signal: Int32) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let note = folder.appendingPathComponent("child").path
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", "-c", Self.script, root.appendingPathComponent("service").path, note]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "ready\n")
        let text = try String(contentsOfFile: note, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let child = try #require(pid_t(text))
        #expect(kill(child, 0) == 0)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        // The process that adopts the child collects it a moment later.
        let end = ContinuousClock.now + .seconds(30)
        while kill(child, 0) == 0, !Self.isZombie(child), ContinuousClock.now < end { usleep(20_000) }
        #expect(kill(child, 0) != 0 || Self.isZombie(child))
        kill(child, SIGKILL)
    }

    private static func isZombie(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return status.split(separator: ")").last?.hasPrefix(" Z") ?? false
    }
}
