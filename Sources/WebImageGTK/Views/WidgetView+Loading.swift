public import Foundation
public import WebImageCore

// The loads of every view.
extension WidgetView {
    /// The operation key of the newest load.
    public var latestOperationKey: String { state.binding.latestOperationKey }

    /// The URL of the newest load.
    public var imageURL: URL? { state.binding.imageURL() }

    /// The newest load's progress in bytes, updated on the main actor. Its `updates` yield each change.
    public var imageProgress: Progress {
        get { state.binding.imageProgress }
        set { state.binding.imageProgress = newValue }
    }

    /// The transition to a loaded image; nil, the default, shows it without one.
    public var imageTransition: WebImageTransition? {
        get { state.transition }
        set { state.transition = newValue }
    }

    /// The indicator that runs during a load; nil, the default, shows none.
    ///
    /// It is placed above the image of an ``ImageView``. An adopted widget cannot contain it: there it is shown only if
    /// the widget's parent is a `GtkOverlay`.
    public var imageIndicator: (any WebImageIndicator)? {
        get { state.indicator.current }
        set { state.indicator.current = newValue }
    }

    /// Loads an image and passes it to a block, or shows it in the view if there is no block.
    ///
    /// All other functions call this one. It sets the placeholder, also a nil one, and then the image of `url`.
    /// - Parameters:
    ///   - context: `.setImageOperationKey` is the key of the load, `.customManager` the manager that runs it.
    ///   - setImageBlock: shows images instead of the view; needed for a widget that cannot show images.
    ///   - completed: called on the main actor, exactly once with `finished` (with `.refreshCached` a second time if
    ///     the image changed); with `.avoidAutoSetImage` also for each partial image.
    /// - Returns: the load, which can be cancelled; nil without a URL.
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

    /// Cancels the newest load, which completes with `.cancelled` before this returns. The image shown stays.
    public func cancelLatestImageLoad() { state.binding.cancelImageLoad() }

    // MARK: By operation key; nil is the key of the view's own loads

    /// Returns the operation of a key; nil if nothing runs.
    public func imageLoadOperation(forKey key: String?) -> (any WebImageOperation)? {
        state.binding.operation(forKey: key)
    }
    /// Cancels the key's operation and stores the caller's; nil changes nothing.
    public func setImageLoadOperation(_ operation: (any WebImageOperation)?, forKey key: String?) {
        state.binding.setOperation(operation, forKey: key)
    }
    /// Cancels the operation of a key.
    public func cancelImageLoadOperation(withKey key: String?) {
        state.binding.cancelImageLoad(forKey: key ?? state.binding.ownOperationKey)
    }
    /// Removes the operation of a key without cancelling it.
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

// Failed loads, and invisible views.
extension WidgetView {
    /// Shown after a failed load; nil, the default, leaves the placeholder.
    public var errorImage: Image? {
        get { state.binding.errorImage }
        set { state.binding.errorImage = newValue }
    }

    /// The error of the view's newest load; nil if it did not fail.
    public var imageLoadFailure: WebImageError? { state.binding.failure }

    /// Repeats the failed load, also if the manager remembers its URL as failed.
    ///
    /// - Returns: the new load; nil if no load failed.
    @discardableResult
    public func retryImageLoad(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        state.binding.retry(completed: completed)
    }

    /// Whether a tap on the view repeats a failed load; false by default.
    public var retriesOnTap: Bool {
        get { state.recovery.retriesOnTap }
        set { state.recovery.retriesOnTap = newValue }
    }

    /// Whether a load that failed by its connection is repeated once the network is back and the view is visible; true
    /// by default.
    public var retriesWhenOnline: Bool {
        get { state.recovery.retriesWhenOnline }
        set { state.recovery.retriesWhenOnline = newValue }
    }

    /// Called with the result of a retry that the view started; the load's own completion does not run again.
    public var retryCompleted: ViewImageCompletedBlock? {
        get { state.recovery.retryCompleted }
        set { state.recovery.retryCompleted = newValue }
    }

    /// Whether loads stop while the widget is unmapped and continue once it is mapped; false by default.
    public var pausesLoadsWhenUnmapped: Bool {
        get { state.offscreenPolicy.pausesLoadsWhenUnmapped }
        set { state.offscreenPolicy.pausesLoadsWhenUnmapped = newValue }
    }
}
