import Foundation
import WebImage

/// Our side of the flood, in its own process: a line `flood URL COUNT` starts one round, answered with `ok` and the
/// number of pictures received.
enum FloodWorker {
    static let name = "flood-worker"

    static func run() throws {
        var config = ImageCacheConfig()
        config.shouldCacheImagesOnDisk = false
        // The limit is smaller than the pictures of one round, so the cache becomes full and stays full.
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
        // Do not cancel the first request of each picture. A download without subscribers would end and have to start
        // again later.
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
