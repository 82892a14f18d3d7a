/// The error of a server that cannot start.
public struct HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause in one sentence, for example the address and the reason that the system reported.
    public let description: String

    init(_ description: String) { self.description = description }
}
