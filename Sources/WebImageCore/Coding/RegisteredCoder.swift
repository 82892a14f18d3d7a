import Foundation
import Synchronization

/// A coder of a list: the one that was added, or another one that is used instead. What it can do is what it declares.
package final class RegisteredCoder: Sendable {
    /// Returns the coder that is used instead of a registered one.
    package typealias Replacement = @Sendable (any ImageCoder) -> any ImageCoder

    private final class Used: Sendable {
        let role: any ImageCoder
        init(_ role: any ImageCoder) { self.role = role }
    }

    /// The coder that was added to the list.
    package let registered: any ImageCoder
    private let signatures: [FileSignature]?
    private let replacement: Replacement?
    private let used = AtomicLazyReference<Used>()
    /// Threads that need a coder first wait for one of them. One lock for all coders: they are replaced once.
    private static let making = Locked(false)

    package init(_ registered: any ImageCoder, replacedBy replacement: Replacement? = nil) {
        (self.registered, self.replacement) = (registered, replacement)
        signatures = registered.signatures
    }

    /// Whether the coder must be asked about a file. False if the coder declares other signatures.
    func mayRead(_ file: inout SniffedFile) -> Bool {
        guard let signatures else { return true }
        for signature in signatures where signature.matches(&file) { return true }
        return false
    }

    /// Whether the coder recognises a file.
    func canDecode(_ file: inout SniffedFile) -> Bool { mayRead(&file) && role.canDecode(from: file.data) }

    /// Whether ``role`` may be another coder than ``registered``.
    package var isReplaced: Bool { replacement != nil }

    /// Whether the coder that is used instead is known.
    var isResolved: Bool { used.load() != nil }

    /// The coder that is used.
    package var role: any ImageCoder {
        guard let replacement else { return registered }
        if let known = used.load() { return known.role }
        return Self.making.withLock { _ in used.load() ?? used.storeIfNil(Used(replacement(registered))) }.role
    }

    /// Opens an animation. Returns nil if the coder cannot decode animations.
    func animation(of data: Data, options: DecodingOptions) throws(WebImageError) -> (any AnimatedImageCoder)? {
        guard let animated = role.animated else { return nil }
        return try type(of: animated).init(animation: data, options: options)
    }
}
