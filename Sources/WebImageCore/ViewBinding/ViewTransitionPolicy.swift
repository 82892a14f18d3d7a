/// Decides whether an image appears with the view's transition. Only the decision, without side effects.
///
/// Images that were loaded asynchronously appear with the transition. Images that were available immediately appear
/// without it. Partial images always appear without it.
package enum ViewTransitionPolicy {
    /// Decides for one delivery that has an image to show.
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
