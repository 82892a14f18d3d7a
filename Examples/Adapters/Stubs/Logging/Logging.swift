// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations of swift-log that the sample uses. They have no implementation.
public struct Logger: Sendable {
    public enum Level: Sendable { case trace, debug, info, notice, warning, error, critical }
    public enum MetadataValue: Sendable { case string(String) }
    public typealias Metadata = [String: MetadataValue]
    public struct Message: ExpressibleByStringInterpolation, Sendable {
        public init(stringLiteral value: String) {}
    }
    public init(label: String) {}
    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {}
}
