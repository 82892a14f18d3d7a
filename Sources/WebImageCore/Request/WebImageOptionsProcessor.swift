public import Foundation

/// The options and context that a processor returns.
public struct WebImageOptionsResult: @unchecked Sendable {
    // Unchecked is correct because `context` never changes afterwards and the roles in it are Sendable.

    /// The options to use.
    public let options: WebImageOptions
    /// The context to use.
    public let context: WebImageContext?

    /// Pairs options with a context.
    public init(options: WebImageOptions, context: WebImageContext?) {
        self.options = options
        self.context = context
    }
}

/// Changes options and context of every load in one place.
@preconcurrency public protocol WebImageOptionsProcessorProtocol: Sendable {
    /// Returns replacements; nil changes nothing. Called before any lookup, on the thread that starts the load.
    func processedResult(
        for url: URL?, options: WebImageOptions, context: WebImageContext?
    ) -> WebImageOptionsResult?
}

/// An options processor made of a block.
public final class WebImageOptionsProcessor: WebImageOptionsProcessorProtocol {
    private let block: @Sendable (URL?, WebImageOptions, WebImageContext?) -> WebImageOptionsResult?

    /// Wraps a block, which is called on any thread and must not block it.
    public init(
        block:
            @escaping @Sendable (_ url: URL?, _ options: WebImageOptions, _ context: WebImageContext?) ->
            WebImageOptionsResult?
    ) {
        self.block = block
    }

    /// The result of the block.
    public func processedResult(
        for url: URL?, options: WebImageOptions, context: WebImageContext?
    ) -> WebImageOptionsResult? {
        block(url, options, context)
    }
}
