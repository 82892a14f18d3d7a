// snippet: callback
import Foundation
import WebImage

func load(_ url: URL, then use: @escaping @Sendable (Image) -> Void) -> WebImageCombinedOperation {
    WebImageManager.shared.loadImage(
        with: url, options: [.retryFailed, .highPriority],
        context: [.imageThumbnailPixelSize: CGSize(width: 512, height: 512), .callbackQueue: CallbackQueue.global],
        progress: { received, expected, _ in print("\(received) of \(expected) bytes") }
    ) { image, _, error, origin, _, _ in
        // Called exactly once, with the picture or an error (`.cancelled` after `cancel()`).
        if let image { use(image) } else { print(error?.description ?? "not cached", origin) }
    }
}
// end
