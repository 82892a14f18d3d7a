package import Foundation
package import WebImageCore
import WebImageLoading

// Members that read or change the state of the loads under an operation key. A nil key means the view's own key, unless
// the comment of a member defines another meaning.
extension ImageViewBinding {
    /// The view's own key: the operation key of loads whose context names no operation key.
    package var ownOperationKey: String { defaultKey }

    /// Returns the URL of the last request under a key. Without a key, returns the URL of the newest load.
    package func imageURL(forKey key: String? = nil) -> URL? { slots[key ?? latestOperationKey]?.state?.url }

    /// The progress of the newest load, in bytes. Updated on the main actor.
    package var imageProgress: Progress {
        get {
            if let progress = slots[latestOperationKey]?.state?.progress { return progress }
            let progress = Progress.discreteProgress(totalUnitCount: Progress.unknownTotal)
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

    /// Returns the stored state of the loads under a key.
    package func loadState(forKey key: String? = nil) -> WebImageLoadState? { slots[key ?? defaultKey]?.state }

    /// Stores the state of the loads under a key; nil removes the state.
    package func setLoadState(_ state: WebImageLoadState?, forKey key: String? = nil) {
        slot(forKey: key ?? defaultKey).state = state
    }

    /// Returns the newest running load under a key. If there is none, returns the operation that other code stored
    /// under the key.
    package func operation(forKey key: String? = nil) -> (any WebImageOperation)? {
        let slot = slots[key ?? defaultKey]
        return slot?.running.last ?? slot?.foreign
    }

    /// Cancels the loads and the operation under a key, then stores `operation`. If `operation` is nil, changes
    /// nothing.
    package func setOperation(_ operation: (any WebImageOperation)?, forKey key: String? = nil) {
        guard let operation else { return }
        cancelImageLoad(forKey: key ?? defaultKey)
        slot(forKey: key ?? defaultKey).foreign = operation
    }

    /// Removes the operations under a key without cancelling them.
    package func removeOperation(forKey key: String? = nil) {
        slots[key ?? defaultKey]?.foreign = nil
        slots[key ?? defaultKey]?.running = []
    }
}

// Cancelling, pausing and repeating loads.
extension ImageViewBinding {
    /// Cancels the loads under a key (default: the key of the newest load). Each load completes with `.cancelled`
    /// before this function returns.
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

    /// Ends the newest load under the view's own key with `.cancelled`, and returns the operation of its loader, which
    /// continues. Nil if the loader has not started.
    package func releaseLoad() -> (any WebImageOperation)? {
        let operation = slots[defaultKey]?.running.last?.takeOperation()
        cancelImageLoad(forKey: defaultKey)
        return operation
    }

    /// Cancels every load of the view, for example when the view is removed. The view shows no further image of these
    /// loads.
    package func cancelAll() { for key in slots.keys { cancelImageLoad(forKey: key, replaced: true) } }

    /// Cancels the loads under the view's own key and releases their request, so that it cannot be repeated.
    package func endOwnLoads() {
        cancelImageLoad(forKey: defaultKey)
        let slot = slot(forKey: defaultKey)
        (slot.asked, slot.failure) = (nil, nil)
        display?.loadEnded(with: slots.values.compactMap(\.failure).first)
    }

    /// Cancels every load of a destroyed view, and releases the requests, whose blocks may belong to the caller.
    package func end() {
        cancelAll()
        for slot in slots.values { slot.asked = nil }
    }

    /// Stops the work of every load until ``resumeLoads()`` is called. Notifies no listener.
    package func pauseLoads() { for load in slots.values.flatMap(\.running) { load.pause() } }

    /// Resumes the loads that ``pauseLoads()`` stopped.
    package func resumeLoads() { for load in slots.values.flatMap(\.running) { load.resume() } }

    /// The error of the newest load under the view's own key; nil if the load did not fail.
    package var failure: WebImageError? { slots[defaultKey]?.failure }

    /// Whether the view has a failed load that can be repeated, for its own image or for a further image.
    package var canRetry: Bool { slots.values.contains { $0.failure != nil && $0.asked != nil } }

    /// Repeats all failed loads, even if the manager remembers their URLs as failed.
    ///
    /// - Parameter completed: Receives the end of one repeated load: the load under the view's own key. If no load is
    ///   repeated under this key, receives the end of the newest load. If the newest load is not repeated either,
    ///   receives the end of an arbitrary repeated load.
    /// - Returns: The load whose end `completed` receives; nil if no load can be repeated.
    @discardableResult
    package func retry(completed: ViewImageCompletedBlock? = nil) -> (any WebImageOperation)? {
        var failed = keysNewestLast { $0.failure != nil && $0.asked != nil }
        if let own = failed.firstIndex(of: defaultKey) { failed.append(failed.remove(at: own)) }
        guard let told = failed.popLast() else { return nil }
        for key in failed { repeatLoad(forKey: key, options: .retryFailed) }
        return repeatLoad(forKey: told, options: .retryFailed, completed: completed)
    }

    /// Releases the images that the view shows and that ``restore()`` can load again.
    package func trim() {
        for slot in slots.values {
            guard let asked = slot.asked, slot.running.isEmpty, let shown = slot.shown, displayed(asked) === shown
            else { continue }
            slot.isTrimmed = true
            put(nil, data: nil, origin: .none, url: asked.url, by: asked.setImage)
        }
    }

    /// Loads the images that ``trim()`` released.
    package func restore() {
        for key in keysNewestLast(where: \.isTrimmed) {
            guard let slot = slots[key], let asked = slot.asked else { continue }
            if displayed(asked) == nil { repeatLoad(forKey: key) } else { slot.isTrimmed = false }
        }
    }

    /// The program has set or cleared the image of a key itself, so that ``restore()`` must not load it again.
    package func programSetImage(forKey key: String? = nil) { slots[key ?? defaultKey]?.isTrimmed = false }

    func displayed(_ asked: ViewLoadRequest) -> Image? {
        if let own = asked.own { own.get() } else { display?.displayedImage }
    }

    /// Returns the keys whose slots match. The key of the newest load is the last key. After the loads were repeated in
    /// this order, the load under that key is the newest again.
    private func keysNewestLast(where isWanted: (ViewSlot) -> Bool) -> [String] {
        let keys = slots.filter { isWanted($0.value) }.map(\.key)
        return keys.filter { $0 != latestOperationKey } + keys.filter { $0 == latestOperationKey }
    }

    @discardableResult
    private func repeatLoad(
        forKey key: String, options: WebImageOptions = [], completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        guard let asked = slots[key]?.asked else { return nil }
        let context = asked.context.with(.customManager, asked.loader).dictionary
        return setImage(
            with: asked.url, placeholderImage: asked.placeholder, options: asked.options.union(options),
            context: context, own: asked.own, owner: asked.owner, completed: completed)
    }
}
