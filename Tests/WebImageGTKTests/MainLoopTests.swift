import Foundation
import Testing
import WebImageGTK
import WebImageTestTraits

@Suite("Main loop", .timeLimit(minutes: 1))
struct MainLoopTests {
    @Test func attachingFromAnotherThreadIsRefused() async {
        // Swift Testing runs no test on the process's first thread.
        #expect(await Task.detached { MainLoop.attach() }.value == false)
    }

    /// In a process of its own, because only one that begins with a synchronous `main` keeps its first thread.
    @Test func glibLoopRunsTheMainActorAndTheMainQueueAndRestsWhenIdle() async throws {
        let run = try await Gallery.run(["--self-check-main-loop"], cache: "/nonexistent")
        #expect(run.status == 0)
        let words = run.output.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.dropLast() == ["task", "sleep", "hop", "async", "asyncAfter"])
        let idle = words.last.flatMap { Int($0.dropFirst("idle=".count).dropLast(2)) }
        // Microseconds of processor time in an idle second; a loop that polls or spins uses far more.
        #expect(try #require(idle) < 50_000)
    }
}
