/// The actions that the engine's thread performs after it has sent the requests of one turn of its loop.
final class DeferredActions: @unchecked Sendable {
    // Unchecked is correct because all members are used only on the engine's thread.
    private var actions: [@Sendable () -> Void] = []

    var isEmpty: Bool { actions.isEmpty }

    func add(_ action: @escaping @Sendable () -> Void) { actions.append(action) }

    func perform() {
        guard !actions.isEmpty else { return }
        let all = actions
        actions = []
        for action in all { action() }
    }
}
