import CWebImageGTK
import WebImageCore
import WebImageViews

/// Repeats a view's failed loads when the user requests it or when the network is available again.
@MainActor final class FailureRecovery {
    private unowned let state: ImageWidgetState
    private var control: RetryControl?

    init(_ state: ImageWidgetState) { self.state = state }

    /// Whether a tap on the view repeats a failed load.
    var retriesOnTap = false {
        didSet {
            if retriesOnTap, control == nil {
                control = RetryControl(state) { [weak self] in self?.retryIfFailed() }
            }
            updateControl()
        }
    }
    /// Whether a load that failed because of the connection is repeated when the network is available again and the
    /// view is visible.
    var retriesWhenOnline = true
    /// Receives the result of each retry that the view starts itself.
    var retryCompleted: ViewImageCompletedBlock?

    func loadEnded(with error: WebImageError?) {
        updateControl(error)
        if error?.code == .transport, retriesWhenOnline {
            Connectivity.shared.add(state)
        } else {
            Connectivity.shared.remove(state)
        }
    }

    func retry() {
        let told = retryCompleted
        state.binding.retry(completed: told)
    }

    private func retryIfFailed() {
        if retriesOnTap, state.binding.canRetry { retry() }
    }

    private func updateControl(_ error: WebImageError? = nil) {
        control?.update(
            isEnabled: retriesOnTap && state.binding.canRetry, failure: error ?? state.binding.failure)
    }
}

/// Watches the network and stores the views that wait for the network.
@MainActor final class Connectivity {
    static let shared = Connectivity()

    private struct Waiting {
        weak var state: ImageWidgetState?
    }

    private var waiting: [ObjectIdentifier: Waiting] = [:]
    private var isWatching = false

    func add(_ state: ImageWidgetState) {
        waiting[ObjectIdentifier(state)] = Waiting(state: state)
        watch()
    }

    func remove(_ state: ImageWidgetState) { waiting[ObjectIdentifier(state)] = nil }

    /// Repeats the loads of visible views; the other views continue to wait.
    func networkIsBack() {
        for (key, entry) in waiting {
            guard let state = entry.state, !state.isDestroyed else {
                waiting[key] = nil
                continue
            }
            guard state.visibility.isVisible else { continue }
            waiting[key] = nil
            state.recovery.retry()
        }
    }

    private func watch() {
        guard !isWatching, let monitor = g_network_monitor_get_default() else { return }
        isWatching = true
        Signal.connect(monitor, "network-changed") { [weak self] _ in
            if g_network_monitor_get_network_available(g_network_monitor_get_default()) != 0 { self?.networkIsBack() }
        }
    }
}
