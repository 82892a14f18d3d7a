public import Foundation
public import WebImageCore

// The loads of a view.
extension WidgetView {
    /// The operation key of the newest load.
    public var latestOperationKey: String { state.binding.latestOperationKey }

    /// The URL last requested.
    public var imageURL: URL? { state.binding.imageURL() }

    /// The newest load's progress in bytes, updated on the main actor; its `updates` report each change.
    public var imageProgress: Progress {
        get { state.binding.imageProgress }
        set { state.binding.imageProgress = newValue }
    }

    /// The transition of images that were not available at once; nil, the default, shows them without one.
    public var imageTransition: WebImageTransition? {
        get { state.transition }
        set { state.transition = newValue }
    }

    /// The indicator shown while the view loads; nil, the default, shows none.
    ///
    /// It is shown above the image of an ``ImageView``. An adopted widget has no room for children: its indicator is
    /// shown only if the widget is inside a `GtkOverlay`.
    public var imageIndicator: (any WebImageIndicator)? {
        get { state.indicator.current }
        set { state.indicator.current = newValue }
    }

    /// Loads an image and passes it to a closure, or shows it in the view if there is no closure.
    ///
    /// All other load functions use this one. It first sets the placeholder (nil shows nothing), then the result of
    /// `url`.
    /// - Parameters:
    ///   - context: `.setImageOperationKey` is the operation key of the load, `.customManager` its loader.
    ///   - setImageBlock: shows images instead of the view; a plain widget shows none without it.
    ///   - completed: called on the main actor, exactly once with `finished` (`.refreshCached`: a second time if the
    ///     image changed); also with partial images under `.avoidAutoSetImage`.
    /// - Returns: the load, which can be cancelled alone; nil without a URL.
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

    /// Cancels the newest load, which completes with `.cancelled` before this returns; the shown image stays.
    public func cancelLatestImageLoad() { state.binding.cancelImageLoad() }

    // MARK: Loads by operation key; nil is the view's own key

    /// Returns the operation under a key; nil when none runs.
    public func imageLoadOperation(forKey key: String?) -> (any WebImageOperation)? {
        state.binding.operation(forKey: key)
    }
    /// Stores an operation of the caller and cancels the previous one; nil changes nothing.
    public func setImageLoadOperation(_ operation: (any WebImageOperation)?, forKey key: String?) {
        state.binding.setOperation(operation, forKey: key)
    }
    /// Cancels the operation under a key.
    public func cancelImageLoadOperation(withKey key: String?) {
        state.binding.cancelImageLoad(forKey: key ?? state.binding.ownOperationKey)
    }
    /// Removes the operation under a key without cancelling it.
    public func removeImageLoadOperation(withKey key: String?) { state.binding.removeOperation(forKey: key) }

    /// Returns the state of a key's newest load.
    public func imageLoadState(forKey key: String?) -> WebImageLoadState? { state.binding.loadState(forKey: key) }
    /// Replaces the state of a key's newest load.
    public func setImageLoadState(_ loadState: WebImageLoadState?, forKey key: String?) {
        state.binding.setLoadState(loadState, forKey: key)
    }
    /// Removes the state of a key's newest load.
    public func removeImageLoadState(forKey key: String?) { state.binding.setLoadState(nil, forKey: key) }
}

// Failed loads, and loads of a view that is not visible.
extension WidgetView {
    /// The image shown after a failed load; nil, the default, leaves the placeholder.
    public var errorImage: Image? {
        get { state.binding.errorImage }
        set { state.binding.errorImage = newValue }
    }

    /// The error of the newest load under the view's own key; nil if the load did not fail.
    public var imageLoadFailure: WebImageError? { state.binding.failure }

    /// Repeats the loads that failed, also for URLs that are remembered as failed.
    ///
    /// - Parameter completed: receives the end of the view's own load; if that did not fail, of the newest load that
    ///   did.
    /// - Returns: that load; nil when there is nothing to repeat.
    @discardableResult
    public func retryImageLoad(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        state.binding.retry(completed: completed)
    }

    /// Whether a tap on the view repeats a failed load; false by default.
    public var retriesOnTap: Bool {
        get { state.recovery.retriesOnTap }
        set { state.recovery.retriesOnTap = newValue }
    }

    /// Whether a load that failed because of the connection is repeated when the network is available again and the
    /// view is visible; true by default.
    public var retriesWhenOnline: Bool {
        get { state.recovery.retriesWhenOnline }
        set { state.recovery.retriesWhenOnline = newValue }
    }

    /// Receives the end of each retry that the view starts itself; the completion of the failed load does not run
    /// again.
    public var retryCompleted: ViewImageCompletedBlock? {
        get { state.recovery.retryCompleted }
        set { state.recovery.retryCompleted = newValue }
    }

    /// Whether loads pause while the widget is unmapped and resume when it is mapped; false by default.
    public var pausesLoadsWhenUnmapped: Bool {
        get { state.offscreenPolicy.pausesLoadsWhenUnmapped }
        set { state.offscreenPolicy.pausesLoadsWhenUnmapped = newValue }
    }
}
