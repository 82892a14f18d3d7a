import WebImageCore
package import WebImageLoading

/// Decides whether an image appears with the view's transition. This type only decides and has no side effects.
///
/// Images that were loaded asynchronously appear with the transition. Images that were available immediately appear
/// without a transition. Partial images always appear without a transition.
package enum ViewTransitionPolicy {
    /// Returns whether the image of one delivery appears with the transition.
    package static func runs(for cacheType: ImageCacheType, finished: Bool, options: WebImageOptions) -> Bool {
        guard finished else { return false }
        if options.contains(.forceTransition) { return true }
        switch cacheType {
        case .none: return true
        case .disk: return options.isDisjoint(with: [.queryMemoryDataSync, .queryDiskDataSync])
        default: return false
        }
    }
}
