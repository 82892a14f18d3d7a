import Foundation
import WebImage
import WebImageGTK

// snippet: guide-view
/// A picture of 96 px with everything a view can tell; put `view.widget` into a container.
@MainActor func makeAvatar(_ url: URL?, placeholder: Image?) -> ImageView {
    let view = ImageView()
    let context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 96, height: 96)]
    view.setImage(
        with: url, placeholderImage: placeholder, options: .retryFailed, context: context,
        progress: { received, expected, _ in print("\(received) of \(expected) bytes") }
    ) { image, error, cacheType, _ in
        // On the main actor, exactly once.
        print(image?.pixelSize.description ?? error?.description ?? "no picture", cacheType)
    }
    return view
}
// end

// snippet: guide-stop
/// The row is gone: its load ends with `.cancelled`, and what is on its way for others goes on.
@MainActor func stop(_ view: ImageView) {
    view.cancelCurrentImageLoad()
    view.image = nil
}
// end

// snippet: guide-factory
/// For `gtk_list_view_new(model, factories.retainedFactory())`: rows that load what can be seen first.
@MainActor func makeFactory(_ urls: [URL]) -> ImageListFactory {
    ImageListFactory { position in
        guard urls.indices.contains(position) else { return nil }
        return ImageListRequest(
            urls[position], context: [.imageThumbnailPixelSize: CGSize(width: 200, height: 200)])
    }
}
// end

// snippet: guide-fitting
/// A column of pictures as wide as the list and as high as they are; put `list.widget` into a `GtkScrolledWindow`.
@MainActor func makeColumn(_ urls: [URL]) -> FittingList {
    FittingList(count: urls.count, spacing: 6) { position in ImageListRequest(urls[position]) }
}
// end

// snippet: guide-animated
/// Plays by itself while it can be seen, within 8 MB of decoded frames.
@MainActor func makeSticker(_ url: URL) -> AnimatedImageView {
    let view = AnimatedImageView()
    view.maxBufferSize = 8 << 20
    view.playbackRate = 1.5
    view.setImage(with: url, options: .progressiveLoad)
    return view
}
// end

// snippet: guide-transition
/// A spinner while it loads, a fade when it was waited for, a picture of the failure and a tap to try again.
@MainActor func dress(_ view: ImageView, errorImage: Image?) {
    view.imageIndicator = WebImageActivityIndicator.medium
    view.imageTransition = .fade
    view.errorImage = errorImage
    view.retriesOnTap = true
}
// end
