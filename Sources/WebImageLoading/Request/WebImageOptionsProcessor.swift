public import Foundation
import WebImageCore

/// The options and context that a processor returns.
public struct WebImageOptionsResult: @unchecked Sendable {
    // `@unchecked Sendable` is correct: `context` never changes after `init`, and its values are Sendable.

    /// The options to use.
    public let options: WebImageOptions
    /// The context to use.
    public let context: WebImageContext?

    /// Creates a result from options and a context.
    public init(options: WebImageOptions, context: WebImageContext?) {
        self.options = options
        self.context = context
    }
}

/// Changes the options and the context of every load of a manager.
@preconcurrency public protocol WebImageOptionsProcessorProtocol: Sendable {
    /// Returns the options and the context that replace the given ones. If the result is nil, the load uses the given
    /// ones. The manager calls this method on the thread that starts the load, before it queries the caches.
    func processedResult(
        for url: URL?, options: WebImageOptions, context: WebImageContext?
    ) -> WebImageOptionsResult?
}

/// An options processor that is created from a block.
public final class WebImageOptionsProcessor: WebImageOptionsProcessorProtocol {
    private let block: @Sendable (URL?, WebImageOptions, WebImageContext?) -> WebImageOptionsResult?

    /// Creates a processor from a block. The block can be called on any thread. It must return quickly and must not
    /// wait.
    public init(
        block:
            @escaping @Sendable (_ url: URL?, _ options: WebImageOptions, _ context: WebImageContext?) ->
            WebImageOptionsResult?
    ) {
        self.block = block
    }

    /// Returns the result of the block.
    public func processedResult(
        for url: URL?, options: WebImageOptions, context: WebImageContext?
    ) -> WebImageOptionsResult? {
        block(url, options, context)
    }
}
