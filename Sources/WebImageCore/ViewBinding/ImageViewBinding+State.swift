package import Foundation

// What a view tells of its loads, by operation key; nil is the view's own.
extension ImageViewBinding {
    /// The key of loads that name none.
    package var ownOperationKey: String { defaultKey }

    /// The URL last asked for under a key; the newest load's unless said.
    package func imageURL(forKey key: String? = nil) -> URL? { slots[key ?? latestOperationKey]?.state?.url }

    /// The newest load's progress in bytes; updated on the main actor.
    package var imageProgress: Progress {
        get {
            if let progress = slots[latestOperationKey]?.state?.progress { return progress }
            let progress = Progress(totalUnitCount: 0)
            setProgress(progress)
            return progress
        }
        set { setProgress(newValue) }
    }

    private func setProgress(_ progress: Progress) {
        let state = slots[latestOperationKey]?.state ?? WebImageLoadState()
        state.progress = progress
        slots[latestOperationKey, default: ViewSlot()].state = state
    }

    /// What is remembered of a key.
    package func loadState(forKey key: String? = nil) -> WebImageLoadState? { slots[key ?? defaultKey]?.state }

    /// Remembers something else; nil forgets.
    package func setLoadState(_ state: WebImageLoadState?, forKey key: String? = nil) {
        slots[key ?? defaultKey, default: ViewSlot()].state = state
    }

    /// The operation under a key: the newest load that runs, else one stored by somebody else.
    package func operation(forKey key: String? = nil) -> (any WebImageOperation)? {
        let slot = slots[key ?? defaultKey]
        return slot?.running.last ?? slot?.foreign
    }

    /// Stores an operation, after cancelling the one before; nil changes nothing.
    package func setOperation(_ operation: (any WebImageOperation)?, forKey key: String? = nil) {
        guard let operation else { return }
        cancelImageLoad(forKey: key ?? defaultKey)
        slots[key ?? defaultKey, default: ViewSlot()].foreign = operation
    }

    /// Forgets the operations under a key without ending them.
    package func removeOperation(forKey key: String? = nil) {
        slots[key ?? defaultKey]?.foreign = nil
        slots[key ?? defaultKey]?.running = []
    }
}

// Ending, holding and repeating loads.
extension ImageViewBinding {
    /// Cancels what runs under a key, the newest load's unless said; each completes with `.cancelled` before this returns.
    package func cancelImageLoad(forKey key: String? = nil) {
        cancelImageLoad(forKey: key ?? latestOperationKey, replaced: false)
    }

    func cancelImageLoad(forKey key: String, replaced: Bool) {
        for load in slots[key]?.running ?? [] { load.cancel(replaced: replaced) }
        let foreign = slots[key]?.foreign
        slots[key]?.foreign = nil
        foreign?.cancel()
    }

    /// Cancels every load of the view, as when it goes away; nothing more is shown.
    package func cancelAll() { for key in slots.keys { cancelImageLoad(forKey: key, replaced: true) } }

    /// Gives up the work of every load until ``resumeLoads()``; nobody hears of it.
    package func pauseLoads() { for load in slots.values.flatMap(\.running) { load.pause() } }

    /// Goes on with what ``pauseLoads()`` gave up.
    package func resumeLoads() { for load in slots.values.flatMap(\.running) { load.resume() } }

    /// Why the view's own newest load failed; nil when it did not.
    package var failure: WebImageError? { slots[defaultKey]?.failure }

    /// Tries the view's own load again if it failed, also a URL that is remembered as failed.
    @discardableResult
    package func retry(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        failure == nil ? nil : repeatLoad([.retryFailed], completed)
    }

    /// Gives up the picture shown, if it can be had again by ``restore()``.
    package func trim() {
        guard let slot = slots[defaultKey], slot.asked != nil, slot.running.isEmpty, let shown = slot.shown,
            display?.displayedImage === shown
        else { return }
        slots[defaultKey]?.isTrimmed = true
        display?.displayedImage = nil
    }

    /// Loads what ``trim()`` gave up.
    package func restore() {
        guard slots[defaultKey]?.isTrimmed == true else { return }
        if display?.displayedImage == nil { repeatLoad([], nil) } else { slots[defaultKey]?.isTrimmed = false }
    }

    @discardableResult
    private func repeatLoad(
        _ options: WebImageOptions, _ completed: ViewImageCompletedBlock?
    ) -> (any WebImageOperation)? {
        guard let asked = slots[defaultKey]?.asked else { return nil }
        var context = asked.context
        context[.customManager] = asked.loader
        return setImage(
            with: asked.url, placeholderImage: asked.placeholder, options: asked.options.union(options),
            context: context, completed: completed)
    }
}
