import Foundation
import Testing
import WebImageCore

@testable import WebImageCLI

@Suite struct ProgressBarTests {
    private static let clear = "\r\u{1B}[K"

    @Test func reportOfALoadReplacesTheLineAlsoWhileTheLineIsPrinted() async {
        let printed = Locked<[String]>([])
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let bar = ProgressBar(total: 2, isEnabled: true) { text in
            // The line of the progress reaches the terminal late.
            if text.hasPrefix("[") {
                begun.signal()
                _ = mayEnd.wait(timeout: .now() + 10)
            }
            printed.withLock { $0.append(text) }
        }
        let done = DispatchGroup()
        DispatchQueue.global().async(group: done) { bar.update(0, received: 512, expected: 1024) }
        DispatchQueue.global().async(group: done) {
            begun.wait()
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { mayEnd.signal() }
            bar.finishLoad(0) { printed.withLock { $0.append("report") } }
        }
        await withCheckedContinuation { next in done.notify(queue: .global()) { next.resume() } }
        bar.finish()
        let all = printed.withLock { $0 }
        #expect(all.first?.hasPrefix("[") == true)
        #expect(Array(all.dropFirst()) == [Self.clear, "report"])
    }

    @Test func loadsOfOneURLCountEach() {
        let printed = Locked<[String]>([])
        let bar = ProgressBar(total: 2, isEnabled: true) { text in printed.withLock { $0.append(text) } }
        bar.update(0, received: 1024, expected: 1024)
        usleep(100_000)
        bar.update(1, received: 2048, expected: 4096)
        #expect(printed.withLock { $0.last }?.contains("3 KiB under way") == true)
        bar.finishLoad(0) {}
        usleep(100_000)
        bar.update(1, received: 4096, expected: 4096)
        #expect(printed.withLock { $0.last }?.hasSuffix("1/2  4 KiB under way") == true)
    }

    @Test func nothingIsPrintedWithoutATerminal() {
        let printed = Locked<[String]>([])
        let bar = ProgressBar(total: 1, isEnabled: false) { text in printed.withLock { $0.append(text) } }
        bar.update(0, received: 1, expected: 2)
        bar.finishLoad(0) { printed.withLock { $0.append("report") } }
        bar.finish()
        #expect(printed.withLock { $0 } == ["report"])
    }
}
