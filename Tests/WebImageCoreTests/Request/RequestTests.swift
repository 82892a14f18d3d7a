import Dispatch
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 1))
struct RequestTests {
    @Test func policyDecidesBetweenInlineAndAsynchronous() async {  // SDUtilsTests.testSDCallbackQueue
        let queue = DispatchQueue(label: "callback")
        let callbacks = CallbackQueue(queue: queue)
        let seen = Locked<[String]>([])
        await withCheckedContinuation { continuation in
            queue.async {
                callbacks.async { seen.withLock { $0.append("safe") } }
                seen.withLock { $0.append("after safe") }
                callbacks.policy = .dispatch
                callbacks.async { seen.withLock { $0.append("dispatched") } }
                seen.withLock { $0.append("after dispatch") }
                callbacks.policy = .invoke
                callbacks.async { seen.withLock { $0.append("invoked") } }
                seen.withLock { $0.append("after invoke") }
                queue.async { continuation.resume() }
            }
        }
        #expect(
            seen.withLock { $0 } == ["safe", "after safe", "after dispatch", "invoked", "after invoke", "dispatched"])
    }

    @Test func currentQueueIsTheCallersQueue() async {
        let queue = DispatchQueue(label: "current")
        let wrapped = CallbackQueue(queue: queue)
        let isInline = await withCheckedContinuation { continuation in
            wrapped.async { continuation.resume(returning: CallbackQueue.current.runsInline) }
        }
        #expect(isInline)
    }

    @Test @MainActor func theMainQueueGivenByHandIsMain() {
        // On Linux, each access to `DispatchQueue.main` returns a different object. `CallbackQueue` must recognise each
        // of these objects as the main queue.
        let queues = [CallbackQueue(queue: .main), CallbackQueue(queue: .main)]
        var ran = 0
        for queue in queues { queue.async { MainActor.assumeIsolated { ran += 1 } } }
        #expect(ran == 2)
    }

    @Test func theGlobalQueueRunsElsewhere() async {
        await withCheckedContinuation { continuation in CallbackQueue.global.async { continuation.resume() } }
    }

    @Test func imageScaleIsReadFromTheKey() throws {  // SDUtilsTests.testSDScaledImageForKey
        let image = try TestImages.solid()
        image.imageFormat = .gif
        let scaled = image.scaled(forKey: "test@2x.gif")
        #expect(scaled.scale == 2 && scaled.pixels === image.pixels && scaled.imageFormat == .gif)
        #expect(image.scaled(forKey: nil) === image && image.scaled(forKey: "test.gif") === image)
        #expect(scaled.scaled(to: 2) === scaled && image.scaled(to: .nan) === image)
    }

    @Test(arguments: [
        ("a@2x.png", 2), ("a@3x.png", 3), ("@2x", 1), ("a@2x.pn", 1), ("http://h/a%402x.png", 2), ("dir/a%402x.png", 1),
        ("a@2x.b@3x.png", 2),
    ]) func scaleFactors(_ key: String, _ factor: CGFloat) {
        #expect(Image.scaleFactor(forKey: key) == factor)
    }

    @Test func furtherOptionsCompareByValueOrIdentity() {
        let object = NSObject()
        func options(_ value: Any) -> ForeignCoderOptions {
            ForeignCoderOptions([ImageCoderOption(rawValue: "x"): value])
        }
        #expect(options(1) == options(1) && options(1) != options(2) && options(object) == options(object))
        #expect(options(NotHashable()) != options(NotHashable()))
        #expect(ForeignCoderOptions() == ForeignCoderOptions())
    }
}

private struct NotHashable {}
