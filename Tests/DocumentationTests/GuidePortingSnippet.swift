import Foundation
import SDWebImage

// snippet: guide-port
/// Code written for SDWebImage compiles unchanged. `import SDWebImageGTK` adds the views.
func loadAsBefore(_ url: URL, completion: @escaping @Sendable (UIImage?) -> Void) -> SDWebImageCombinedOperation? {
    SDWebImageManager.shared.loadImage(
        with: url, options: [.retryFailed, .scaleDownLargeImages],
        context: [
            .imageTransformer: SDImageRoundCornerTransformer(
                radius: 20, corners: .allCorners, borderWidth: 0, borderColor: nil)
        ],
        progress: nil
    ) { image, data, error, cacheType, finished, imageURL in
        if let error, case SDWebImageError.cancelled = error { return }
        completion(image)
    }
}
// end
