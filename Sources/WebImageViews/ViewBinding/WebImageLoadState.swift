public import Foundation
import WebImageCore
import WebImageLoading

/// The state of the newest load under one operation key.
@MainActor public final class WebImageLoadState {
    /// The URL of the load.
    public var url: URL?
    /// The progress in bytes. The view creates this object when the view's progress is first read.
    public var progress: Progress?

    /// Creates an empty state.
    public init() {}
}
