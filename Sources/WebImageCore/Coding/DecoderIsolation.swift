import Synchronization

/// Whether the program has decided where its decoders run: in its own process, or in restricted ones.
package enum DecoderIsolation {
    private static let isDecided = Atomic<Bool>(false)

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
}
