/// The error of a server that cannot start.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence with the address and the system's reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
