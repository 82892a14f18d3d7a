package import Foundation
package import WebImageCore
import WebImageLoading

/// Reads `file:` URLs, for callers that use only this loader. A redirect to a `file:` URL is refused.
extension WebImageDownloader {
    package func refusal(ofFile url: URL) -> WebImageError? { config.policy?.refusal(ofFile: url) }

    @inline(never)
    func read(
        _ load: ImageDataLoad, _ progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        if let refusal = refusal(ofFile: load.url) { throw refusal }
        return try await FileImageLoader().loadData(for: load, progress: progress)
    }

    func startReading(
        _ load: ImageDataLoad, progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> WebImageDownloadToken {
        let operation = DataLoadOperation(load, completed: completed)
        let progress = operation.guarding(progress)
        let task = Task {
            do throws(WebImageError) {
                operation.receive(.success(try await read(load, progress)))
            } catch {
                operation.receive(.failure(error))
            }
        }
        operation.whenCancelled { task.cancel() }
        return WebImageDownloadToken(load.url, operation)
    }
}
