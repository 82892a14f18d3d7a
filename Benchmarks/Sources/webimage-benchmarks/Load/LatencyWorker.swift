import Foundation
import Synchronization
import WebImage

/// The process that runs our library in the scenarios `burst` and `steady`. It reads lines of the form `run FILE`.
/// ``Arrivals`` has written FILE. The answer is `ok` and one number for each arrival. The number is the time in
/// milliseconds from the request time until the load delivered the picture, or -1 if the load failed.
enum LatencyWorker {
    static let name = "latency-worker"

    static func run(_ arguments: [String]) throws {
        let usesDisk = arguments.first == "disk"
        let folder = NSTemporaryDirectory() + "webimage-latency-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var config = ImageCacheConfig()
        config.shouldCacheImagesInMemory = false
        config.shouldCacheImagesOnDisk = usesDisk
        var downloads = WebImageDownloaderConfig.default
        downloads.maxConcurrentDownloads = 20
        let loaders = ImageLoadersManager(
            loaders: [WebImageDownloader(config: downloads), FileImageLoader()])
        let cache = ImageCache(namespace: "latency", diskCacheDirectory: folder, config: config)
        let manager = WebImageManager(cache: cache, loader: loaders)
        var isPrimed = !usesDisk
        while let line = readLine() {
            let words = line.split(separator: " ")
            if words == ["ready"] {
                print("ok")
                fflush(nil)
                continue
            }
            guard words.count == 2, words[0] == "run" else { throw ScenarioError.unknown(line) }
            let arrivals = try Arrivals.read(String(words[1]))
            if !isPrimed {
                // Load every picture once before timing, so that the originals are in the disk cache.
                _ = answer(to: arrivals.map { (0, $0.place) }, manager)
                cache.flush()
                isPrimed = true
            }
            print("ok", answer(to: arrivals, manager).map { String(format: "%.2f", $0) }.joined(separator: " "))
            fflush(nil)
        }
    }

    private static func answer(to arrivals: [(milliseconds: Double, place: String)], _ manager: WebImageManager)
        -> [Double]
    {
        let times = Times(count: arrivals.count)
        let done = DispatchGroup()
        let clock = ContinuousClock()
        let start = clock.now
        for (number, arrival) in arrivals.enumerated() {
            let due = start + .milliseconds(arrival.milliseconds)
            let wait = clock.now.duration(to: due)
            if wait > .zero { Thread.sleep(forTimeInterval: wait.milliseconds / 1000) }
            let url = arrival.place.hasPrefix("/") ? URL(fileURLWithPath: arrival.place) : URL(string: arrival.place)
            done.enter()
            manager.loadImage(
                with: url,
                context: [
                    .imageThumbnailPixelSize: CGSize(width: 256, height: 256), .callbackQueue: CallbackQueue.invoking,
                ],
                progress: nil
            ) { image, _, _, _, isFinished, _ in
                guard isFinished else { return }
                if image != nil { times.values.withLock { $0[number] = due.duration(to: clock.now).milliseconds } }
                done.leave()
            }
        }
        done.wait()
        return times.values.withLock { $0 }
    }
}

/// The waiting time of each arrival in milliseconds. The value is -1 until the picture has arrived.
private final class Times: Sendable {
    let values: Mutex<[Double]>
    init(count: Int) { values = Mutex([Double](repeating: -1, count: count)) }
}

extension Duration {
    fileprivate var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
