import Foundation
import WebImage
import WebImageLinkPreview

// snippet: guide-request
/// Describes a round picture of a person, 96 px wide, which is loaded before others.
func avatar(_ url: URL) -> ImageRequest {
    var request = ImageRequest(url: url, size: CGSize(width: 96, height: 96), priority: .high)
    request.transformers = [
        ImageRoundCornerTransformer(radius: 48, corners: .allCorners, borderWidth: 0, borderColor: nil)
    ]
    return request
}
// end

// snippet: guide-task
/// Loads a picture, and shows how far it is and what has arrived of it.
func follow(
    _ url: URL, report: @escaping @Sendable (Double) -> Void, show: @escaping @Sendable (Image) -> Void
) async throws(WebImageError) -> Image {
    let task = WebImageManager.shared.imageTask(for: ImageRequest(url: url, options: .progressiveLoad))
    Task { for await progress in task.progress { report(progress.fraction ?? 0) } }
    Task { for await preview in task.previews { show(preview) } }
    return try await task.image
}
// end

// snippet: guide-task-callback
/// Loads a picture and calls back once, on the main queue. The handle cancels the load or changes its priority.
func fetch(_ request: ImageRequest, then use: @escaping @Sendable (Image?) -> Void) -> ImageTask {
    WebImageManager.shared.loadImage(with: request) { result in
        switch result {
        case .success(let result): use(result.image)
        case .failure(let error):
            print(error)
            use(nil)
        }
    }
}
// end

// snippet: guide-prefetch-disk
/// Stores pictures on disk, for later, without decoding them. Returns how many are there. A cancel of the task that waits
/// stops the list.
func download(_ urls: [URL], report: @escaping @Sendable (Double) -> Void) async -> Int {
    let requests = urls.map { ImageRequest(url: $0, priority: .low) }
    let (finished, skipped) = await WebImagePrefetcher.shared.prefetch(requests, destination: .disk) {
        finished, total in report(Double(finished) / Double(total))
    }
    return finished - skipped
}

/// Stops the pictures that are not needed any more. The lists continue with their other pictures.
func stop(_ urls: [URL]) { WebImagePrefetcher.shared.cancelPrefetching(of: urls) }
// end

// snippet: guide-configuration
/// Makes a manager for pictures whose URLs come from other people: only public addresses, small pictures, little memory.
func managerForStrangers() -> WebImageManager {
    var configuration = WebImageConfiguration(name: "strangers")
    configuration.policy = .server
    configuration.limits.maxPixels = 20_000_000
    configuration.downloads.maxConcurrentDownloadsPerHost = 2
    configuration.cache.maxMemoryCost = 64 << 20
    configuration.headers["Referer"] = "https://example.org"
    configuration.listeners = [WebImageMetrics()]
    return WebImageManager(configuration)
}
// end

// snippet: guide-link-preview
/// Shows the picture that a web page names for previews of links to it, and says what the page is called.
func showPreview(of page: URL, in show: (Image, _ title: String?, _ site: String?) -> Void) async throws(WebImageError)
{
    let image = try await WebImageManager.shared.image(for: page)
    show(image, image.linkPreview?.title, image.linkPreview?.siteName)
}

/// Call this once, at the start of the program.
func registerLinkPreviews() { ImageLoadersManager.shared.addLoader(LinkPreviewImageLoader.shared) }
// end
