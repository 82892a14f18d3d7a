import CPeers
import Foundation
import Harness
import WebImage
import WebImageTesting

/// Measures the processor time of a load whose picture is in no cache. Such a load consists of a memory miss, a disk
/// miss, the download, the decode, the store and the delivery.
///
/// Our time is compared with the sum of the times of two programs. These programs do only the work that every loader
/// must do. A C program with libcurl fetches the same URLs. A process with libjpeg-turbo decodes the same number of
/// pictures. Each program also runs with a single picture. The time of this run is subtracted, so that the start of
/// the process is not counted.
struct ColdLoadScenario {
    private let nginx: NginxServer
    private let folder: ScratchFolder
    private let options: Options

    static func run(_ options: Options, _ report: Report) throws {
        guard NginxServer.isAvailable else { throw ScenarioError.missing("nginx or openssl is not installed") }
        let scenario = ColdLoadScenario(nginx: try NginxServer(), folder: try ScratchFolder(), options: options)
        defer { scenario.nginx.stop() }
        for (count, side) in [(10_000, 48), (1000, 320)] { report.add(try scenario.measure(count, side: side)) }
    }

    private func measure(_ count: Int, side: Int) throws -> ContestResult {
        let picture = try DeliveredPicture(Inputs(folder: options.data), side: side)
        var encoding = EncodingOptions()
        encoding.quality = 0.8
        let file = try ImageCodersManager.shared.encode(picture.image, format: .jpeg, options: encoding)
        let place = nginx.root.appendingPathComponent("\(side).jpg")
        try file.write(to: place)
        let urls = (0..<count).map { nginx.url("/\(side).jpg?\($0)").absoluteString }
        let (whole, one) = (try list(urls), try list([urls[0]]))
        let job = DownloadJob(name: "", urls: urls, bytes: 0, concurrency: 6, certificate: nil)
        let own = { (list: String) in [MeasuredProcess.itself, ColdLoadWorker.name, "load", list] }
        let decode = { (count: Int) in [MeasuredProcess.itself, ColdLoadWorker.name, "decode", place.path, "\(count)"] }
        var (ours, bare): ([Double], [Double]) = ([], [])
        for round in 0..<min(options.rounds(5, quick: 1), 5) + 1 {
            let loaded = try cpu(own(whole), own(one))
            let fetched = try cpu(
                DownloadCompetitor.multi.command(whole, job), DownloadCompetitor.multi.command(one, job))
            let decoded = try cpu(decode(count), decode(1))
            guard round > 0 else { continue }
            ours.append(loaded)
            bare.append(fetched + decoded)
        }
        return ContestResult(
            name: "cold load of \(count) x \(file.count) B, CPU", target: 2, unit: .microseconds, operations: count,
            entries: [
                .init(name: "webimage", milliseconds: ours, cost: Cost(cpu: ours.median)),
                .init(name: "libcurl and libjpeg-turbo in C", milliseconds: bare, cost: Cost(cpu: bare.median)),
            ])
    }

    /// Returns the processor time of the command `full` minus the processor time of the command `idle`, in
    /// milliseconds.
    private func cpu(_ full: [String], _ idle: [String]) throws -> Double {
        try MeasuredProcess.run(full).cpu - MeasuredProcess.run(idle).cpu
    }

    private func list(_ urls: [String]) throws -> String {
        let file = folder.url.appendingPathComponent("\(UUID().uuidString).txt")
        try Data(urls.joined(separator: "\n").utf8).write(to: file)
        return file.path
    }
}

/// The child processes of ``ColdLoadScenario``. `cold-load-worker load LIST` loads all URLs in the file LIST with our
/// library. `cold-load-worker decode FILE COUNT` decodes a JPEG file COUNT times with libjpeg-turbo.
enum ColdLoadWorker {
    static let name = "cold-load-worker"

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= (arguments.first == "decode" ? 3 : 2) else {
            throw ScenarioError.unknown(arguments.joined(separator: " "))
        }
        if arguments[0] == "decode" {
            let file = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
            for _ in 0..<(Int(arguments[2]) ?? 0) {
                guard file.withBytes({ peer_libjpeg_decode($0, file.count) }) == 0 else {
                    throw ScenarioError.peerFailed
                }
            }
            return
        }
        let urls = try String(contentsOfFile: arguments[1], encoding: .utf8).split(separator: "\n").compactMap {
            URL(string: String($0))
        }
        try load(urls)
    }

    private static func load(_ urls: [URL]) throws {
        let folder = NSTemporaryDirectory() + "webimage-cold-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cache = ImageCache(namespace: "cold", diskCacheDirectory: folder, config: ImageCacheConfig())
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: [WebImageDownloader()]))
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let (done, turns) = (DispatchGroup(), DispatchSemaphore(value: 24))
        for url in urls {
            // Run at most 24 of the 10,000 loads at the same time, like a scrolling list.
            turns.wait()
            done.enter()
            manager.loadImage(with: url, context: context) { image, _, error, _, isFinished, _ in
                guard isFinished else { return }
                precondition(image != nil, "\(String(describing: error))")
                turns.signal()
                done.leave()
            }
        }
        done.wait()
        cache.flush()
        print(urls.count)
    }
}
