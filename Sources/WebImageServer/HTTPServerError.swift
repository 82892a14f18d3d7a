/// Why a server cannot be started.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence that names the address and the system's reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
