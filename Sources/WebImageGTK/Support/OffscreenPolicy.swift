import CWebImageGTK
import WebImageCore
import WebImageLoading
import WebImageViews

/// Saves resources while a view is unmapped: pauses its loads, if requested, and releases its image when memory is
/// short.
@MainActor final class OffscreenPolicy {
    private unowned let state: ImageWidgetState
    private var isWatching = false

    init(_ state: ImageWidgetState) {
        self.state = state
        MemoryWatch.shared.add(state)
    }

    /// Whether loads pause while the widget is unmapped and resume when it is mapped again.
    var pausesLoadsWhenUnmapped = false { didSet { if pausesLoadsWhenUnmapped { watch() } } }

    /// Releases the decoded frames and the image of an unmapped view; called when memory is short.
    func trim() {
        guard !state.isMapped, !state.isDestroyed else { return }
        state.animation?.player?.clearFrameBuffer()
        watch()
        state.binding.trim()
    }

    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        Signal.connect(state.widget, "map") { [weak self] _ in
            guard let self else { return }
            state.binding.resumeLoads()
            state.binding.restore()
        }
        Signal.connect(state.widget, "unmap") { [weak self] _ in
            guard let self, pausesLoadsWhenUnmapped else { return }
            state.binding.pauseLoads()
        }
    }
}

/// Receives memory warnings from the kernel and the desktop, and trims every unmapped view.
@MainActor final class MemoryWatch {
    static let shared = MemoryWatch()

    private struct Entry {
        weak var state: ImageWidgetState?
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var nextSweep = 64
    private var observation: (any Sendable)?

    func add(_ state: ImageWidgetState) {
        entries[ObjectIdentifier(state)] = Entry(state: state)
        sweep()
        guard observation == nil else { return }
        observation = MemoryPressureRelay.system.observe { _ in
            MainThread.run { MemoryWatch.shared.trimViews() }
        }
        // GLib's monitor reports warnings of the desktop (a portal or low-memory-monitor). The relay forwards them to
        // the caches.
        guard let monitor = g_memory_monitor_dup_default() else { return }
        Signal.connect(monitor, "low-memory-warning") { _ in MemoryPressureRelay.system.report(.warning) }
    }

    func trimViews() { for entry in entries.values { entry.state?.offscreenPolicy.trim() } }

    private func sweep() {
        guard entries.count > nextSweep else { return }
        entries = entries.filter { $0.value.state != nil }
        nextSweep = max(64, entries.count * 2)
    }
}
