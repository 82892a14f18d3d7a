// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations of swift-distributed-tracing and its context package that the sample uses. They have no
// implementation.
public struct ServiceContext: Sendable {
    @TaskLocal public static var current: ServiceContext?
    public static var topLevel: ServiceContext { ServiceContext() }
}

public enum SpanKind: Sendable { case server, client, producer, consumer, `internal` }

public enum SpanAttribute: Sendable { case string(String) }

public struct SpanAttributes: Sendable, ExpressibleByDictionaryLiteral {
    private var values: [String: SpanAttribute] = [:]
    public init(dictionaryLiteral elements: (String, SpanAttribute)...) {}
    public subscript(_ name: String) -> SpanAttribute? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

public struct SpanLink: Sendable {
    public init(context: ServiceContext, attributes: SpanAttributes) {}
}

public protocol Span: Sendable {
    var context: ServiceContext { get }
    var attributes: SpanAttributes { get nonmutating set }
    func addLink(_ link: SpanLink)
}

extension Span {
    public func recordError(_ error: any Error, attributes: SpanAttributes = [:]) {}
    public func end() {}
}

public func startSpan(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, function: String = #function, file fileID: String = #fileID, line: UInt = #line
) -> any Span { fatalError("\(operationName): a stub") }
