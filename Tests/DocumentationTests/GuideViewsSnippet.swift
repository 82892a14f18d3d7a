import Foundation
import WebImage
import WebImageGTK

// snippet: guide-view
/// Creates a view of 96 × 96 points and prints the load's progress and result. Put `view.widget` into a container.
@MainActor func makeAvatar(_ url: URL?, placeholder: Image?) -> ImageView {
    let view = ImageView()
    view.fixedSize = CGSize(width: 96, height: 96)
    view.setImage(
        with: url, placeholderImage: placeholder, options: .retryFailed, context: .thumbnail(.viewSize),
        progress: { received, expected, _ in print("\(received) of \(expected) bytes") }
    ) { image, error, cacheType, _ in
        // Runs exactly once, on the main actor.
        print(image?.pixelSize.description ?? error?.description ?? "no picture", cacheType)
    }
    return view
}
// end

// snippet: guide-round-avatar
/// Returns a round avatar beside a name, for a row of a list or any other container.
@MainActor func makeRoundAvatar(_ url: URL?, initials: Image?) -> ImageView {
    let avatar = ImageView()
    avatar.fixedSize = CGSize(width: 48, height: 48)
    avatar.contentMode = .cover
    avatar.cornerRadius = 24
    avatar.setImage(with: url, placeholderImage: initials)
    return avatar
}
// end

// snippet: guide-stop
/// Stops the load of a row that is no longer visible. The load ends with `.cancelled`. Other loads that share its work
/// continue.
@MainActor func stop(_ view: ImageView) {
    view.cancelCurrentImageLoad()
    view.image = nil
}
// end

// snippet: guide-animated
/// Creates a view that plays while it is visible and keeps at most 8 MB of decoded frames.
@MainActor func makeSticker(_ url: URL) -> AnimatedImageView {
    let view = AnimatedImageView()
    view.maxBufferSize = 8 << 20
    view.playbackRate = 1.5
    view.setImage(with: url, options: .progressiveLoad)
    return view
}
// end

// snippet: guide-transition
/// Shows a spinner during the load and fades the image in unless it is available immediately. After a failure, shows an
/// error image; a tap tries again, and also Return or the space bar.
@MainActor func dress(_ view: ImageView, errorImage: Image?) {
    view.imageIndicator = WebImageActivityIndicator.medium
    view.imageTransition = .fade
    view.errorImage = errorImage
    view.retriesOnTap = true
}
// end

// snippet: guide-phases
/// Shows another widget for each phase of the load. The picture is as sharp as the screen at the size of the view.
@MainActor func makePhases(_ url: URL, spinner: WidgetView, sorry: WidgetView) -> PhaseView {
    var request = ImageRequest(url: url)
    request.viewThumbnail = .viewSize
    let view = PhaseView(request) { phase in
        switch phase {
        case .empty, .loading: spinner
        case .success(let image): ImageView(image)
        case .failure: sorry
        }
    }
    view.fixedSize = CGSize(width: 96, height: 96)
    return view
}
// end
