import WebImageCore

/// Reports changes of the purge logs on a server.
///
/// A connection with ``prefix`` as its tracked prefix receives a message of the server when a key with this prefix
/// changes. It passes the message to ``receive(_:)`` as an event, and the tier that uses the connection is called.
package final class ValkeyReports: Sendable {
    /// The prefix of the keys of purge logs.
    package static let prefix = "wi1p:"

    private let handler = Locked<LockedFunction<@Sendable () -> Void>?>(nil)

    package init() {}

    /// Receives an event of a connection. Calls the handler on the thread of the connection.
    package func receive(_ event: ValkeyConnection.Event) {
        switch event {
        // A connection that was lost has missed messages.
        case .connected, .changed, .flushed: handler.withLock { $0 }?.call()
        case .disconnected: break
        }
    }

    /// Sets what is called after a log may have changed.
    func whenPurged(_ handler: @escaping @Sendable () -> Void) {
        self.handler.withLock { $0 = LockedFunction(handler) }
    }
}
