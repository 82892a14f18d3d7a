public import Foundation

/// What a view remembers of the newest load under one operation key.
@MainActor public final class WebImageLoadState {
    /// What was asked for.
    public var url: URL?
    /// Its progress in bytes; made when somebody asks for it.
    public var progress: Progress?

    /// An empty state.
    public init() {}
}
