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
    var completes: Bool
    /// Whether later deliveries of this load are ignored.
    package var ends: Bool

    /// Decides what to do with a delivery.
    ///
    /// A partial image is shown without calling the completion. With `.avoidAutoSetImage`, the completion is called for
    /// each partial image, because the caller receives partial images in no other way. With `.refreshCached`, the
    /// completion is called for the cached image, but the load continues until the refreshed image arrives. While a
    /// complete image is refreshed, the view keeps it instead of partial images, and also if the refresh fails.
    ///
    /// - Parameters:
    ///   - isStale: Whether another load has replaced this load, or the view already shows an image of a newer load.
    ///   - hasErrorImage: Whether the load failed for another reason than a cancel, and the view has an error image.
    ///   - hasShownImage: Whether the view shows a complete image of the request: the cached image before a refresh, or
    ///     the image of an earlier load of the same request.
    package init(
        for delivery: LoadDelivery, isStale: Bool = false, hasErrorImage: Bool = false, hasShownImage: Bool = false,
        options: WebImageOptions
    ) {
        let (hasImage, isFinished) = (delivery.image != nil, delivery.isFinished)
        let showsItself = options.contains(.avoidAutoSetImage)
        completes = isFinished || (showsItself && !isStale)
        ends = isFinished && !(options.contains(.refreshCached) && hasImage && delivery.error == nil)
        if isStale {
            display = .keep
        } else if hasImage {
            let keeps = showsItself || (hasShownImage && !isFinished)
            display = keeps ? .keep : .image
        } else if !isFinished || hasShownImage {
            display = .keep
        } else if hasErrorImage, !showsItself {
            display = .errorImage
        } else {
            display = options.contains(.delayPlaceholder) ? .placeholder : .keep
        }
    }
}
