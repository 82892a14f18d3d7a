public import Foundation

/// Options and context as a processor wants them.
public struct WebImageOptionsResult: @unchecked Sendable {
    // Unchecked is true because `context` is a value nobody changes afterwards, and the roles in it are Sendable.

    /// The options that hold.
    public let options: WebImageOptions
    /// The context that holds.
    public let context: WebImageContext?

    /// Pairs options with a context.
    public init(options: WebImageOptions, context: WebImageContext?) {
        self.options = options
        self.context = context
    }
}

/// Changes options and context of every load in one place.
@preconcurrency public protocol WebImageOptionsProcessorProtocol: Sendable {
    /// What holds instead; nil changes nothing. Called before any lookup, on the thread that asks.
    func processedResult(
        for url: URL?, options: WebImageOptions, context: WebImageContext?
    ) -> WebImageOptionsResult?
}

/// An options processor that is a block.
public final class WebImageOptionsProcessor: WebImageOptionsProcessorProtocol {
    private let block: @Sendable (URL?, WebImageOptions, WebImageContext?) -> WebImageOptionsResult?

    /// Wraps a block; it is called on any thread and must not block it.
    public init(
        block:
            @escaping @Sendable (_ url: URL?, _ options: WebImageOptions, _ context: WebImageContext?) ->
            WebImageOptionsResult?
    ) {
        self.block = block
    }

    /// What the block says.
    public func processedResult(
        for url: URL?, options: WebImageOptions, context: WebImageContext?
    ) -> WebImageOptionsResult? {
        block(url, options, context)
    }
}
