import WebImageCore

/// The order in which requests were accepted. This order shows whether a request was accepted before work ended.
final class RequestOrder: Sendable {
    /// The number of a request in flight. Releasing the object marks the request as ended.
    final class Ticket: Sendable {
        let number: UInt64
        private let order: RequestOrder

        fileprivate init(_ number: UInt64, _ order: RequestOrder) {
            self.number = number
            self.order = order
        }

        deinit { order.end(number) }
    }

    private struct State {
        var next: UInt64 = 1
        /// All requests with a lower number have ended.
        var oldest: UInt64 = 1
        /// Requests that have ended while an older request is still in flight.
        var ended: Set<UInt64> = []
        var observers: [@Sendable (UInt64) -> Void] = []
    }

    private let state = Locked(State())

    func begin() -> Ticket {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return Ticket(number, self)
    }

    /// The number of the next request. The value of work that ends now is valid for requests with a lower number.
    var next: UInt64 { state.withLock { $0.next } }

    var oldest: UInt64 { state.withLock { $0.oldest } }

    /// Adds a function that is called outside the lock whenever the oldest request in flight changes.
    func observe(_ observer: @escaping @Sendable (UInt64) -> Void) { state.withLock { $0.observers.append(observer) } }

    private func end(_ number: UInt64) {
        let (oldest, observers) = state.withLock { state in
            let before = state.oldest
            state.ended.insert(number)
            while state.ended.remove(state.oldest) != nil { state.oldest += 1 }
            return (state.oldest, state.oldest == before ? [] : state.observers)
        }
        for observer in observers { observer(oldest) }
    }
}
