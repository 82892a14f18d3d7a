import WebImageCore

/// The key of one context value. The raw strings are the same as in SDWebImage.
public struct WebImageContextOption: RawRepresentable, Hashable, Sendable {
    /// The key's string.
    public let rawValue: String
    // The hash of the string, computed once. A memory hit reads its context about 12 times. To hash the string each
    // time would take 20 % of the time of a memory hit.
    package let digest: Int

    /// Creates the key of a context value. Custom loaders and coders can define their own keys.
    public init(rawValue: String) {
        self.rawValue = rawValue
        digest = rawValue.hashValue
    }

    /// Whether two keys have the same string.
    public static func == (left: Self, right: Self) -> Bool {
        left.digest == right.digest && left.rawValue == right.rawValue
    }

    /// Adds the stored hash of the key's string to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Returns the stored hash of the key's string, combined with the seed.
    ///
    /// Without this method, each access to a dictionary would hash the digest again. This would take 14 % of the time
    /// of a memory hit.
    public func _rawHashValue(seed: Int) -> Int { digest ^ seed }

    /// ``WebImageManager``: the manager that a view uses instead of the shared manager.
    public static let customManager = WebImageContextOption(rawValue: "customManager")
}

/// Context values in SDWebImage's untyped form. A value that has the wrong type for its key is ignored and logged.
///
/// Every value must be `Sendable`, because a load passes the values between threads.
public typealias WebImageContext = [WebImageContextOption: Any]
