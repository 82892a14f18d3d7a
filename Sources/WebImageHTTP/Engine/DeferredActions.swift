/// Actions that the engine's thread performs after the requests of a turn are sent.
final class DeferredActions: @unchecked Sendable {
    // Unchecked is correct because everything here is called on the engine's thread alone.
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
