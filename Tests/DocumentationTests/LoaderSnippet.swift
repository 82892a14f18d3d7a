// snippet: loader
import Foundation
import WebImage

/// Loads URLs of the form `bundle:name.png` from a folder of the program.
struct BundleImageLoader: ImageLoader {
    let folder: URL

    var capabilities: LoaderCapabilities { LoaderCapabilities(schemes: ["bundle"]) }

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        // FileImageLoader reads on its own queue, applies the byte limit, and refuses pipes and devices.
        let name = (load.url.absoluteString.dropFirst("bundle:".count) as NSString).lastPathComponent
        var file = ImageDataLoad(url: folder.appendingPathComponent(name), context: load.context)
        file.priority = load.priority
        return try await FileImageLoader().loadData(for: file, progress: progress)
    }
}

func addBundleLoader(_ folder: URL) {
    ImageLoadersManager.shared.addLoader(BundleImageLoader(folder: folder))
}
// end
