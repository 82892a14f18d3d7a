import Foundation
import Testing
import WebImageGTK
import WebImageTestTraits

@Suite("Main loop", .timeLimit(minutes: 1))
struct MainLoopTests {
    @Test func attachingFromAnotherThreadIsRefused() async {
        // Swift Testing runs no test on the first thread of the process.
        #expect(await Task.detached { MainLoop.attach() }.value == false)
    }

    /// The main loop must run on the first thread of a process. Only a program with a synchronous `main` can run it
    /// there, so the test runs the gallery as a separate process.
    @Test func glibLoopRunsTheMainActorAndTheMainQueueAndSleepsWhenIdle() async throws {
        let run = try await Gallery.run(["--self-check-main-loop"], cache: "/nonexistent")
        #expect(run.status == 0)
        let words = run.output.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.dropLast() == ["task", "sleep", "hop", "async", "asyncAfter"])
        let idle = words.last.flatMap { Int($0.dropFirst("idle=".count).dropLast(2)) }
        // `idle` is the processor time in microseconds per idle second. A loop that polls or spins uses much more.
        #expect(try #require(idle) < 50_000)
    }
}
