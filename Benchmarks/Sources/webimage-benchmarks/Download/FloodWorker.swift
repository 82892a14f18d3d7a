import Foundation
import WebImage

/// Our side of the flood, in a process of its own: a line `flood URL COUNT` is one round, answered with `ok` and how many
/// pictures came.
enum FloodWorker {
    static let name = "flood-worker"

    static func run() throws {
        var config = ImageCacheConfig()
        config.shouldCacheImagesOnDisk = false
        // A round's pictures go with the next one's: the cache is to be full, and stay so.
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
        // The first request of each picture stays: without anybody left a download would end, and be another one later.
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
