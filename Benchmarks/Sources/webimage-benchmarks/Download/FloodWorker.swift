import Foundation
import WebImage

/// The process that runs our library in the scenario `flood`. For each input line `flood URL COUNT`, the process runs
/// one round with COUNT loads from the folder URL. The answer is `ok` and the number of loads that received a
/// picture.
enum FloodWorker {
    static let name = "flood-worker"

    static func run() throws {
        var config = ImageCacheConfig()
        config.shouldCacheImagesOnDisk = false
        // A round loads 100 pictures of 320 px, which need about 41 MB when they are decoded. Two rounds exceed the
        // limit, so the memory cache becomes full in the second round and stays full.
        config.maxMemoryCost = 64 << 20
        var downloads = WebImageDownloaderConfig.default
        downloads.maxConcurrentDownloads = 20
        let manager = WebImageManager(
            cache: ImageCache(namespace: "flood", diskCacheDirectory: "/nowhere", config: config),
            loader: WebImageDownloader(config: downloads))
        let other = WebImageDownloader(config: .default)
        while let line = readLine() {
            let words = line.split(separator: " ")
            guard words.count == 3, let count = Int(words[2]) else { throw ScenarioError.unknown(line) }
            let done = DispatchSemaphore(value: 0)
            Task {
                let finished = await round(String(words[1]), count, manager, other)
                print("ok \(finished)")
                fflush(nil)
                done.signal()
            }
            done.wait()
        }
    }

    private static func round(
        _ folder: String, _ count: Int, _ manager: WebImageManager, _ other: WebImageDownloader
    ) async -> Int {
        let tasks = (0..<count).map { number in
            Task {
                let url = URL(string: "\(folder)/\(number % FloodScenario.pictures).jpg")
                return (try? await manager.image(for: url)) != nil
            }
        }
        // Never cancel the first load of a picture. If all loads of a picture were cancelled, the download would
        // end, and a later load would have to download the picture again. `cancelSome` cancels a random twentieth
        // of the loads. It is called twice: before the server sends pictures, and while it sends pictures.
        func cancelSome() {
            for task in tasks.dropFirst(FloodScenario.pictures) where Int.random(in: 0..<20) == 0 { task.cancel() }
        }
        cancelSome()
        if let url = URL(string: folder + "/open") {
            _ = try? await other.loadData(for: ImageDataLoad(url: url), progress: nil)
        }
        cancelSome()
        var finished = 0
        for task in tasks where await task.value { finished += 1 }
        return finished
    }
}
