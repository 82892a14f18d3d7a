import Foundation
import Synchronization

/// Whether the program has decided where its decoders run: in its own process, or in restricted ones.
package enum DecoderIsolation {
    private static let isDecided = Atomic<Bool>(false)
    private static let isAwaited = Atomic<Bool>(false)
    private static let preparation = Locked<LockedFunction<@Sendable () -> Void>?>(nil)

    /// Notes the decision, so that ``suggest()`` logs nothing.
    package static func decide() { isDecided.store(true, ordering: .relaxed) }

    /// Logs once that a program which downloads from strangers decodes in its own process. Call it before a download.
    package static func suggest() {
        guard !isDecided.load(ordering: .relaxed), WebImageLog.shared.destination != nil,
            !isDecided.exchange(true, ordering: .relaxed)
        else { return }
        WebImageLog.shared.log(
            .info,
            "Pictures of strangers are decoded in this process. WebImageSandbox.enable() decodes them in restricted processes."
        )
    }

    /// Sets what is done once, on a thread of its own, when a picture is expected.
    package static func prepare(_ preparation: @escaping @Sendable () -> Void) {
        self.preparation.withLock { $0 = LockedFunction(preparation) }
        isAwaited.store(true, ordering: .releasing)
    }

    /// Notes that a picture will probably be decoded soon. Costs one read of memory, except for the first time.
    package static func expectPicture() {
        guard isAwaited.load(ordering: .relaxed), isAwaited.exchange(false, ordering: .acquiring),
            let preparation = preparation.withLock({ $0.take() })
        else { return }
        Thread(name: "webimage.decode", block: preparation.call).start()
    }
}
