import Foundation
import Testing
import WebImageGTK

@Suite("Main loop", .timeLimit(.minutes(1)))
struct MainLoopTests {
    @Test func attachingFromAnotherThreadIsRefused() async {
        // Swift Testing runs no test on the process's first thread.
        #expect(await Task.detached { MainLoop.attach() }.value == false)
    }

    /// In a process of its own, because only one that begins with a synchronous `main` keeps its first thread.
    @Test func glibLoopRunsTheMainActorAndTheMainQueueAndRestsWhenIdle() async throws {
        let gallery = try #require(Self.gallery, "webimage-gallery was not built beside the tests")
        let process = Process()
        process.executableURL = gallery
        process.arguments = ["--self-check-main-loop"]
        let output = Pipe()
        process.standardOutput = output
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(process.terminationStatus == 0)
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.dropLast() == ["task", "sleep", "hop", "async", "asyncAfter"])
        let idle = words.last.flatMap { Int($0.dropFirst("idle=".count).dropLast(2)) }
        // Microseconds of processor time in an idle second; a loop that polls or spins uses far more.
        #expect(try #require(idle) < 50_000)
    }

    static var gallery: URL? {
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else { return nil }
        let url = folder.appendingPathComponent("webimage-gallery")
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }
}
