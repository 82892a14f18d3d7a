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

// snippet: guide-phases
/// The picture, or what is known of it.
@MainActor func makePhases(_ url: URL, spinner: WidgetView, sorry: WidgetView) -> PhaseView {
    PhaseView(ImageRequest(url: url, size: CGSize(width: 96, height: 96))) { phase in
        switch phase {
        case .empty, .loading: spinner
        case .success(let image): ImageView(image)
        case .failure: sorry
        }
    }
}
// end
