import WebImageCore
package import WebImageLoading

/// The actions of a view for one delivery of its loader. This type only decides and has no side effects.
package struct ViewLoadAction: Equatable {
    /// The image that the view shows.
    package enum Display: Equatable {
        /// The view does not change.
        case keep
        /// The view shows the delivered image.
        case image
        /// The view shows the placeholder, which `.delayPlaceholder` has delayed until now.
        case placeholder
        /// The view shows its error image.
        case errorImage
    }

    /// The image that the view shows.
    package var display: Display
    /// Whether the caller's completion runs.
    package var completes: Bool
    /// Whether later deliveries of this load are ignored.
    package var ends: Bool

    /// The properties of one delivery that affect the decision.
    package struct Delivery {
        package var hasImage: Bool
        package var hasError = false
        package var finished = true
        /// Whether another load has replaced this load, or the view already shows an image of a newer load.
        package var isStale = false
        /// Whether the load failed for another reason than a cancel, and the view has an error image.
        package var hasErrorImage = false
        /// Whether the view shows a complete image of the request: the cached image before a refresh, or the image of an
        /// earlier load of the same request.
        package var hasShownImage = false

        package init(
            hasImage: Bool, hasError: Bool = false, finished: Bool = true, isStale: Bool = false,
            hasErrorImage: Bool = false, hasShownImage: Bool = false
        ) {
            self.hasImage = hasImage
            self.hasError = hasError
            self.finished = finished
            self.isStale = isStale
            self.hasErrorImage = hasErrorImage
            self.hasShownImage = hasShownImage
        }
    }

    package init(display: Display, completes: Bool, ends: Bool) {
        self.display = display
        self.completes = completes
        self.ends = ends
    }

    /// Decides what to do with a delivery.
    ///
    /// A partial image is shown without calling the completion. With `.avoidAutoSetImage`, the completion is called for
    /// each partial image, because the caller receives partial images in no other way. With `.refreshCached`, the
    /// completion is called for the cached image, but the load continues until the refreshed image arrives. While a
    /// complete image is refreshed, the view keeps it instead of partial images, and also if the refresh fails.
    package init(for delivery: Delivery, options: WebImageOptions) {
        let showsItself = options.contains(.avoidAutoSetImage)
        completes = delivery.finished || (showsItself && !delivery.isStale)
        ends = delivery.finished && !(options.contains(.refreshCached) && delivery.hasImage && !delivery.hasError)
        if delivery.isStale {
            display = .keep
        } else if delivery.hasImage {
            let keeps = showsItself || (delivery.hasShownImage && !delivery.finished)
            display = keeps ? .keep : .image
        } else if !delivery.finished || delivery.hasShownImage {
            display = .keep
        } else if delivery.hasErrorImage, !showsItself {
            display = .errorImage
        } else {
            display = options.contains(.delayPlaceholder) ? .placeholder : .keep
        }
    }
}
