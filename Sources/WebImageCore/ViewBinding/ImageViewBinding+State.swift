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
        slot(forKey: latestOperationKey).state = state
    }

    /// What is remembered of a key.
    package func loadState(forKey key: String? = nil) -> WebImageLoadState? { slots[key ?? defaultKey]?.state }

    /// Remembers something else; nil forgets.
    package func setLoadState(_ state: WebImageLoadState?, forKey key: String? = nil) {
        slot(forKey: key ?? defaultKey).state = state
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
        slot(forKey: key ?? defaultKey).foreign = operation
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
        guard let slot = slots[key] else { return }
        for load in slot.running { load.cancel(replaced: replaced) }
        guard let foreign = slot.foreign else { return }
        slot.foreign = nil
        foreign.cancel()
    }

    /// Cancels every load of the view, as when it goes away; nothing more is shown.
    package func cancelAll() { for key in slots.keys { cancelImageLoad(forKey: key, replaced: true) } }

    /// Gives up the work of every load until ``resumeLoads()``; nobody hears of it.
    package func pauseLoads() { for load in slots.values.flatMap(\.running) { load.pause() } }

    /// Goes on with what ``pauseLoads()`` gave up.
    package func resumeLoads() { for load in slots.values.flatMap(\.running) { load.resume() } }

    /// Why the view's own newest load failed; nil when it did not.
    package var failure: WebImageError? { slots[defaultKey]?.failure }

    /// Whether a load failed that can be tried again, the view's own or that of a further picture.
    package var canRetry: Bool { slots.values.contains { $0.failure != nil && $0.asked != nil } }

    /// Tries again what failed, also URLs that are remembered as failed.
    ///
    /// - Parameter completed: hears of the view's own load, or where that did not fail of the newest one that did.
    /// - Returns: that load; nil when there is nothing to try again.
    @discardableResult
    package func retry(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        var failed = keysNewestLast { $0.failure != nil && $0.asked != nil }
        if let own = failed.firstIndex(of: defaultKey) { failed.append(failed.remove(at: own)) }
        guard let told = failed.popLast() else { return nil }
        for key in failed { repeatLoad(key, [.retryFailed], nil) }
        return repeatLoad(told, [.retryFailed], completed)
    }

    /// Gives up the pictures shown that can be had again by ``restore()``.
    package func trim() {
        for slot in slots.values {
            guard let asked = slot.asked, slot.running.isEmpty, let shown = slot.shown, displayed(asked) === shown
            else { continue }
            slot.isTrimmed = true
            put(nil, nil, .none, asked.url, asked.setImage)
        }
    }

    /// Loads what ``trim()`` gave up.
    package func restore() {
        for key in keysNewestLast(where: \.isTrimmed) {
            guard let slot = slots[key], let asked = slot.asked else { continue }
            if displayed(asked) == nil { repeatLoad(key, [], nil) } else { slot.isTrimmed = false }
        }
    }

    private func displayed(_ asked: ViewLoadRequest) -> Image? {
        if let own = asked.own { own.get() } else { display?.displayedImage }
    }

    /// The key of the newest load comes last, so that it is the newest again after all were repeated.
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
