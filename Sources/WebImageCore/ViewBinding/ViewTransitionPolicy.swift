/// Whether a picture comes onto a view by its transition: a pure decision.
///
/// Pictures that were waited for do; those that were there at once do not. Partial pictures never do.
package enum ViewTransitionPolicy {
    /// Decides for one delivery that has something to show.
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
