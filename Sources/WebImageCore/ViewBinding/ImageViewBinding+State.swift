package import Foundation

// The state of a view's loads, by operation key. A nil key means the view's own key unless a member says otherwise.
extension ImageViewBinding {
    /// The key of loads that set none.
    package var ownOperationKey: String { defaultKey }

    /// Returns the URL last requested under a key; without a key, the URL of the newest load.
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
        slot(forKey: latestOperationKey).state = state
    }

    /// Returns the stored state of a key.
    package func loadState(forKey key: String? = nil) -> WebImageLoadState? { slots[key ?? defaultKey]?.state }

    /// Stores the state of a key; nil removes it.
    package func setLoadState(_ state: WebImageLoadState?, forKey key: String? = nil) {
        slot(forKey: key ?? defaultKey).state = state
    }

    /// Returns the operation under a key: the newest running load, or else an operation stored by other code.
    package func operation(forKey key: String? = nil) -> (any WebImageOperation)? {
        let slot = slots[key ?? defaultKey]
        return slot?.running.last ?? slot?.foreign
    }

    /// Stores an operation after cancelling the previous one; nil changes nothing.
    package func setOperation(_ operation: (any WebImageOperation)?, forKey key: String? = nil) {
        guard let operation else { return }
        cancelImageLoad(forKey: key ?? defaultKey)
        slot(forKey: key ?? defaultKey).foreign = operation
    }

    /// Removes the operations under a key without ending them.
    package func removeOperation(forKey key: String? = nil) {
        slots[key ?? defaultKey]?.foreign = nil
        slots[key ?? defaultKey]?.running = []
    }
}

// Ending, pausing and repeating loads.
extension ImageViewBinding {
    /// Cancels the loads under a key (default: the key of the newest load). Each completes with `.cancelled` before this
    /// returns.
    package func cancelImageLoad(forKey key: String? = nil) {
        cancelImageLoad(forKey: key ?? latestOperationKey, replaced: false)
    }

    func cancelImageLoad(forKey key: String, replaced: Bool) {
        guard let slot = slots[key] else { return }
        for load in slot.running { load.cancel(replaced: replaced) }
        guard let foreign = slot.foreign else { return }
        slot.foreign = nil
        foreign.cancel()
    }

    /// Cancels every load of the view, as when the view goes away; nothing more is shown.
    package func cancelAll() { for key in slots.keys { cancelImageLoad(forKey: key, replaced: true) } }

    /// Stops the work of every load until ``resumeLoads()``; no listener is notified.
    package func pauseLoads() { for load in slots.values.flatMap(\.running) { load.pause() } }

    /// Resumes the loads that ``pauseLoads()`` stopped.
    package func resumeLoads() { for load in slots.values.flatMap(\.running) { load.resume() } }

    /// The error of the view's own newest load; nil if it did not fail.
    package var failure: WebImageError? { slots[defaultKey]?.failure }

    /// Whether a failed load can be tried again: the view's own, or that of a further image.
    package var canRetry: Bool { slots.values.contains { $0.failure != nil && $0.asked != nil } }

    /// Repeats the loads that failed, also for URLs that are remembered as failed.
    ///
    /// - Parameter completed: receives the end of the view's own load; if that did not fail, of the newest load that did.
    /// - Returns: that load; nil when there is nothing to repeat.
    @discardableResult
    package func retry(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        var failed = keysNewestLast { $0.failure != nil && $0.asked != nil }
        if let own = failed.firstIndex(of: defaultKey) { failed.append(failed.remove(at: own)) }
        guard let told = failed.popLast() else { return nil }
        for key in failed { repeatLoad(key, [.retryFailed], nil) }
        return repeatLoad(told, [.retryFailed], completed)
    }

    /// Releases the shown images that ``restore()`` can load again.
    package func trim() {
        for slot in slots.values {
            guard let asked = slot.asked, slot.running.isEmpty, let shown = slot.shown, displayed(asked) === shown
            else { continue }
            slot.isTrimmed = true
            put(nil, nil, .none, asked.url, asked.setImage)
        }
    }

    /// Loads the images that ``trim()`` released.
    package func restore() {
        for key in keysNewestLast(where: \.isTrimmed) {
            guard let slot = slots[key], let asked = slot.asked else { continue }
            if displayed(asked) == nil { repeatLoad(key, [], nil) } else { slot.isTrimmed = false }
        }
    }

    private func displayed(_ asked: ViewLoadRequest) -> Image? {
        if let own = asked.own { own.get() } else { display?.displayedImage }
    }

    /// Returns the keys with that of the newest load last, so that it is the newest again after all loads were repeated.
    private func keysNewestLast(where isWanted: (ViewSlot) -> Bool) -> [String] {
        let keys = slots.filter { isWanted($0.value) }.map(\.key)
        return keys.filter { $0 != latestOperationKey } + keys.filter { $0 == latestOperationKey }
    }

    @discardableResult
    private func repeatLoad(
        _ key: String, _ options: WebImageOptions, _ completed: ViewImageCompletedBlock?
    ) -> (any WebImageOperation)? {
        guard let asked = slots[key]?.asked else { return nil }
        let context = asked.context.with(.customManager, asked.loader).forRoles
        return setImage(
            with: asked.url, placeholderImage: asked.placeholder, options: asked.options.union(options),
            context: context, own: asked.own, completed: completed)
    }
}
