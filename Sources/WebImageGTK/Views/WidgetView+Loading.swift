public import Foundation
public import WebImageCore
public import WebImageLoading
public import WebImageViews

// The loads of a view.
extension WidgetView {
    /// The operation key of the newest load.
    public var latestOperationKey: String { state.binding.latestOperationKey }

    /// The URL of the newest load.
    public var imageURL: URL? { state.binding.imageURL() }

    /// The newest load's progress in bytes, updated on the main actor. Its `updates` report each change.
    ///
    /// The total is -1 while the number of bytes is unknown. A body without a length is finished at its end. Assign a
    /// progress that has a parent for one load only, because Foundation adds up the totals of all its loads in the parent.
    public var imageProgress: Progress {
        get { state.binding.imageProgress }
        set { state.binding.imageProgress = newValue }
    }

    /// The transition for images that were not available immediately. Nil, the default, shows these images without a
    /// transition.
    public var imageTransition: WebImageTransition? {
        get { state.transition }
        set { state.transition = newValue }
    }

    /// The indicator shown while the view loads; nil, the default, shows none.
    ///
    /// The indicator is shown above the image. A button and a widget that ``ImageView`` has made can contain the
    /// indicator. For any other widget, the indicator is shown only if the parent of the widget is a `GtkOverlay`.
    public var imageIndicator: (any WebImageIndicator)? {
        get { state.indicator.current }
        set { state.indicator.current = newValue }
    }

    /// Loads an image and passes it to a closure, or shows it in the view if there is no closure.
    ///
    /// All other load functions use this function. This function first sets the placeholder (nil shows nothing), then
    /// the image of `url`.
    /// - Parameters:
    ///   - context: the value of `.setImageOperationKey` is the operation key of the load. The value of
    ///     `.customManager` is the loader that performs the load.
    ///   - setImageBlock: called to show each image; the view then does not show the image itself. A plain widget
    ///     cannot show images, so it needs this closure.
    ///   - completed: called once on the main actor, with `finished` true. There are two exceptions. With
    ///     `.refreshCached`, a changed image causes a second call, after the call for the cached image; `finished` is
    ///     true in both calls. With `.avoidAutoSetImage`, each partial image causes a call with `finished` false.
    /// - Returns: the load, which the caller can cancel; nil without a URL.
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

    /// Loads an image and shows it in the view, without reporting progress.
    ///
    /// Behaves like ``internalSetImage(with:placeholderImage:options:context:setImageBlock:progress:completed:)``.
    @discardableResult
    public func internalSetImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: @escaping ViewImageInternalCompletedBlock
    ) -> (any WebImageOperation)? {
        internalSetImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context, setImageBlock: nil,
            progress: nil, completed: completed)
    }

    /// Cancels the newest load. The load completes with `.cancelled` before this method returns. The shown image is
    /// unchanged.
    public func cancelLatestImageLoad() { state.binding.cancelImageLoad() }

    // MARK: Loads by operation key; nil is the view's own key

    /// Returns the operation under a key; nil if no operation runs.
    public func imageLoadOperation(forKey key: String?) -> (any WebImageOperation)? {
        state.binding.operation(forKey: key)
    }
    /// Stores an operation under a key and cancels the previous operation of this key. Does nothing if `operation` is
    /// nil.
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
    /// The image shown after a failed load; nil, the default, does not replace the placeholder.
    public var errorImage: Image? {
        get { state.binding.errorImage }
        set { state.binding.errorImage = newValue }
    }

    /// The error of the newest load under the view's own key; nil if the load did not fail. If a refresh failed, this
    /// is its error, although the view still shows the picture.
    public var imageLoadFailure: WebImageError? { state.binding.failure }

    /// Repeats the failed loads, including loads of URLs that are remembered as failed.
    ///
    /// - Parameter completed: receives the result of the repeated load under the view's own key. If the load under that
    ///   key had not failed, it receives the result of the newest load if that failed, otherwise of any repeated load.
    /// - Returns: the load whose result `completed` receives; nil if no load had failed.
    @discardableResult
    public func retryImageLoad(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        state.binding.retry(completed: completed)
    }

    /// Whether the user can repeat a failed load: with a tap on the view, and with Return or the space bar while the view
    /// has the focus. A screen reader offers the action `webimage.retry`. False by default.
    ///
    /// The view can have the focus only while a load can be repeated. Then Tab stops at the view, and screen readers
    /// read out the error.
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

    /// Receives the result of each retry that the view starts itself. The completion of the failed load does not run a
    /// second time.
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
