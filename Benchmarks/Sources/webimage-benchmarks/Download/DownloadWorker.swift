import Foundation
import FoundationNetworking
import WebImage

/// The process that ``DownloadCompetitor/ours`` and ``DownloadCompetitor/urlSession`` start. The command line is
/// `download-worker webimage|urlsession LIST CONCURRENCY CERTIFICATE`. LIST is a file with one URL per line.
/// CERTIFICATE is the certificate authority file, or `-` if there is no such file. The process prints the number of
/// received bytes.
enum DownloadWorker {
    static let name = "download-worker"

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 4, let concurrency = Int(arguments[2]) else {
            throw ScenarioError.unknown(arguments.joined(separator: " "))
        }
        let urls = try String(contentsOfFile: arguments[1], encoding: .utf8).split(separator: "\n").compactMap {
            URL(string: String($0))
        }
        let fetch =
            arguments[0] == "webimage"
            ? ours(concurrency, certificate: arguments[3] == "-" ? nil : arguments[3]) : session(concurrency)
        let done = DispatchSemaphore(value: 0)
        Task {
            let bytes = await withTaskGroup(of: Int.self) { group in
                for url in urls { group.addTask { await fetch(url) } }
                return await group.reduce(0, +)
            }
            print(bytes)
            fflush(nil)
            done.signal()
        }
        done.wait()
    }

    private typealias Fetch = @Sendable (URL) async -> Int

    private static func ours(_ concurrency: Int, certificate: String?) -> Fetch {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = concurrency
        config.certificateAuthorityFile = certificate
        let downloader = WebImageDownloader(config: config)
        return { url in (try? await downloader.loadData(for: ImageDataLoad(url: url), progress: nil).data.count) ?? 0 }
    }

    private static func session(_ concurrency: Int) -> Fetch {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = concurrency
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        return { url in (try? await session.data(from: url).0.count) ?? 0 }
    }
}
