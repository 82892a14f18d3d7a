import Foundation

/// Calls of the operating system.
package enum SystemCall {
    /// Repeats a call while a signal interrupts it. Returns the result of the last call; `errno` has its error.
    package static func retrying<Count: SignedInteger>(_ call: () -> Count) -> Count {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
