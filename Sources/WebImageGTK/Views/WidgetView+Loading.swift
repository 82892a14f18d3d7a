public import Foundation
public import WebImageCore

// What every view knows of its loads.
extension WidgetView {
    /// The operation key of the newest load.
    public var latestOperationKey: String { state.binding.latestOperationKey }

    /// The URL last asked for.
    public var imageURL: URL? { state.binding.imageURL() }

    /// The newest load's progress in bytes, updated on the main actor; its `updates` tell of each change.
    public var imageProgress: Progress {
        get { state.binding.imageProgress }
        set { state.binding.imageProgress = newValue }
    }

    /// How pictures that were waited for come onto the view; nil, at first, is at once.
    public var imageTransition: WebImageTransition? {
        get { state.transition }
        set { state.transition = newValue }
    }

    /// Runs while the view waits; nil, at first, is none.
    ///
    /// It stands above an ``ImageView``'s own picture. A widget that was adopted has no room for it: there it is shown if
    /// the widget stands in a `GtkOverlay`.
    public var imageIndicator: (any WebImageIndicator)? {
        get { state.indicator.current }
        set { state.indicator.current = newValue }
    }

    /// Loads a picture and gives it to a block, or to the view's own way where there is none.
    ///
    /// The one function behind all others. First the placeholder, also nil, is set; then what comes of `url`.
    /// - Parameters:
    ///   - context: `.setImageOperationKey` names the load, `.customManager` who is asked.
    ///   - setImageBlock: shows pictures instead of the view; for a plain widget, whose own way is none.
    ///   - completed: called on the main actor, exactly once with `finished` (`.refreshCached`: a second time when the
    ///     picture changed); also with previews under `.avoidAutoSetImage`.
    /// - Returns: the load, to be cancelled alone; nil without a URL.
    @discardableResult
    public func internalSetImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil,
        setImageBlock: (@MainActor (Image?, Data?, ImageCacheType, URL?) -> Void)? = nil,
        progress: ViewImageProgressBlock? = nil, completed: ViewImageInternalCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        state.binding.internalSetImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context,
            setImage: setImageBlock, progress: progress, completed: completed)
    }

    /// Cancels the newest load, which completes with `.cancelled` before this returns; the picture shown stays.
    public func cancelLatestImageLoad() { state.binding.cancelImageLoad() }

    // MARK: By operation key; nil is the view's own

    /// The operation under a key; nil when nothing runs.
    public func imageLoadOperation(forKey key: String?) -> (any WebImageOperation)? {
        state.binding.operation(forKey: key)
    }
    /// Stores an operation of the caller's, after cancelling the one before; nil changes nothing.
    public func setImageLoadOperation(_ operation: (any WebImageOperation)?, forKey key: String?) {
        state.binding.setOperation(operation, forKey: key)
    }
    /// Cancels what runs under a key.
    public func cancelImageLoadOperation(withKey key: String?) {
        state.binding.cancelImageLoad(forKey: key ?? state.binding.ownOperationKey)
    }
    /// Forgets what runs under a key without ending it.
    public func removeImageLoadOperation(withKey key: String?) { state.binding.removeOperation(forKey: key) }

    /// What is remembered of a key's newest load.
    public func imageLoadState(forKey key: String?) -> WebImageLoadState? { state.binding.loadState(forKey: key) }
    /// Remembers something else.
    public func setImageLoadState(_ loadState: WebImageLoadState?, forKey key: String?) {
        state.binding.setLoadState(loadState, forKey: key)
    }
    /// Forgets a key's newest load.
    public func removeImageLoadState(forKey key: String?) { state.binding.setLoadState(nil, forKey: key) }
}

// What a view does about loads that fail, and while nobody sees it.
extension WidgetView {
    /// Shown instead of a picture that could not be had; nil, at first, leaves the placeholder.
    public var errorImage: Image? {
        get { state.binding.errorImage }
        set { state.binding.errorImage = newValue }
    }

    /// Why the newest load of the view failed; nil when it did not.
    public var imageLoadFailure: WebImageError? { state.binding.failure }

    /// Tries a load again that failed, also when its URL is remembered as failed.
    ///
    /// - Returns: the new load; nil when there is nothing to try again.
    @discardableResult
    public func retryImageLoad(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        state.binding.retry(completed: completed)
    }

    /// Whether a tap on the view tries a load again that failed; false at first.
    public var retriesOnTap: Bool {
        get { state.recovery.retriesOnTap }
        set { state.recovery.retriesOnTap = newValue }
    }

    /// Whether a load that failed by its connection is tried again when the network is back and the view can be seen;
    /// true at first.
    public var retriesWhenOnline: Bool {
        get { state.recovery.retriesWhenOnline }
        set { state.recovery.retriesWhenOnline = newValue }
    }

    /// Hears how a retry ends that the view began by itself; a load's own completion runs once and not again.
    public var retryCompleted: ViewImageCompletedBlock? {
        get { state.recovery.retryCompleted }
        set { state.recovery.retryCompleted = newValue }
    }

    /// Whether loads stop while the widget is unmapped and go on when it is mapped; false at first.
    public var pausesLoadsWhenUnmapped: Bool {
        get { state.offscreenPolicy.pausesLoadsWhenUnmapped }
        set { state.offscreenPolicy.pausesLoadsWhenUnmapped = newValue }
    }
}
