import Foundation
import WebImageCore
import WebImageLoading

// Functions that `ViewLoad` calls to change the view.
extension ImageViewBinding {
    /// Returns whether a newer load under the same key has replaced `load` or has already shown an image.
    ///
    /// A load that decodes a shown picture again is also superseded when the view shows another picture.
    func isSuperseded(_ load: ViewLoad) -> Bool {
        guard (slots[load.key]?.oldestShowable ?? 0) <= load.generation else { return true }
        return load.isResizing && (load.keptImage == nil || displayed(load.request) !== load.keptImage)
    }

    /// Returns whether a failed load under a key shows the error image. False if the view has no error image, and for
    /// loads of a further image of the view (``FurtherViewImage``).
    func hasErrorImage(forKey key: String) -> Bool {
        guard errorImage != nil, let asked = slots[key]?.asked else { return false }
        return asked.setImage == nil
    }

    /// Shows an image. Uses the view's transition if ``ViewTransitionPolicy`` requires a transition. Calls `completion`
    /// before this function returns. With a transition and `.waitTransition`, calls `completion` at the end of the
    /// transition instead.
    func show(
        _ image: Image?, _ delivery: LoadDelivery, for load: ViewLoad, completion: @escaping @MainActor () -> Void
    ) {
        let (key, request, generation) = (load.key, load.request, load.generation)
        slots[key]?.oldestShowable = generation
        slots[key]?.partial = delivery.isFinished ? nil : image
        let put: @MainActor () -> Void = { [weak self] in
            if let image, load.keptImage != nil, request.setImage == nil,
                load.keptImage === self?.display?.displayedImage
            {
                self?.display?.refine(image)
                return
            }
            self?.put(
                image, data: delivery.data, origin: delivery.cacheType, url: request.url, by: request.setImage)
        }
        guard let display, display.hasTransition, !load.isResizing,
            ViewTransitionPolicy.runs(for: delivery.cacheType, finished: delivery.isFinished, options: request.options)
        else {
            put()
            return completion()
        }
        let waits = request.options.contains(.waitTransition)
        display.perform(
            ViewTransition(
                image: image, data: delivery.data, cacheType: delivery.cacheType, url: request.url,
                isCurrent: { [weak self] in
                    self?.latestOperationKey == key && self?.slots[key]?.newest == generation
                },
                put: put, ended: { if waits { completion() } }))
        if !waits { completion() }
    }

    /// Records the image or the failure that a load has delivered. With `.refreshCached`, this function is called a
    /// second time for the refreshed image.
    func recordEnd(_ load: ViewLoad, _ delivery: LoadDelivery, thumbnail: CGSize?) {
        load.isSettled = true
        if delivery.error != nil, load.generation == slots[load.key]?.newest, let partial = slots[load.key]?.partial {
            display?.partialImageEnded(partial)
        }
        // A picture that cannot be decoded again stays visible, so the view has no failure.
        if load.isResizing, delivery.error != nil || isSuperseded(load) { return }
        if !slots.values.contains(where: { $0.running.contains { !$0.isSettled } }) { display?.updateIndicator(.stop) }
        if let image = delivery.image, !image.isIncremental {
            Self.variants.withLock { $0.note(thumbnail ?? .zero, of: load.request.url) }
        }
        guard let slot = slots[load.key], load.generation == slot.newest else { return }
        let isCancelled = delivery.error?.isCancellation == true
        if !isCancelled {
            // A failed refresh is recorded as well, although the view keeps its picture.
            slot.failure = delivery.error
            if let image = delivery.image { slot.shown = image }
        }
        guard !isCancelled, load.key == defaultKey || load.request.own != nil else { return }
        let failures = slots.values.compactMap(\.failure)
        display?.loadEnded(with: failures.first { $0.code == .transport } ?? failures.first)
    }

    func forget(_ load: ViewLoad) { slots[load.key]?.running.removeAll { $0 === load } }

    /// If the number of bytes is unknown at the end of a load, sets the progress to its final state. A load of a cached
    /// image reports no progress, and a body without a length ends with its last byte.
    func fillProgress(_ load: ViewLoad) {
        guard let progress = slots[load.key]?.state?.progress, progress.totalUnitCount <= 0 else { return }
        let count = max(progress.completedUnitCount, 1)
        progress.report(completed: count, total: count)
    }

    func update(_ load: ViewLoad, received: Int, expected: Int) {
        guard !load.isResizing else { return }
        slots[load.key]?.state?.progress?.report(completed: Int64(received), total: Int64(expected))
        guard !load.isSettled else { return }
        let fraction = expected > 0 ? Double(received) / Double(expected) : 0
        display?.updateIndicator(.progress(min(max(fraction, 0), 1)))
    }
}

// Placeholders that show the same image in another size.
extension ImageViewBinding {
    fileprivate nonisolated static let variants = Locked(ViewVariants())

    /// Returns an image in memory that is the request's image in another size. Returns nil if memory has no such image,
    /// or if the context does not enable such placeholders.
    func variantInMemory(_ request: ViewLoadRequest) -> Image? {
        guard request.context.takesCachedVariantAsPlaceholder else { return nil }
        let wanted = request.context.size
        let boxes = Self.variants.withLock { $0.others(than: wanted ?? .zero, of: request.url) }
        for box in boxes {
            var other = request.request
            other.size = box == .zero ? nil : box
            if let image = request.imageInMemory(other) { return image }
        }
        return nil
    }
}
