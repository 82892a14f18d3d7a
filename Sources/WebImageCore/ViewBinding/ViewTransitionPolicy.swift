/// Decides whether an image appears with the view's transition: a pure decision.
///
/// Images that needed a wait do; images that were available at once do not. Partial images never do.
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
