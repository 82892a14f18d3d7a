import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestSupport
import WebImageTesting

/// Runs the closure with a new fault server and a new downloader. Then stops the server and the downloader, and checks
/// that no curl handle is left.
func withDownloader(
    _ config: WebImageDownloaderConfig = .default, clock: any DelayClock = SystemClock(),
    _ body: (FaultServer, WebImageDownloader) async throws -> Void
) async throws {
    let label = " \(UUID().uuidString)"
    let server = try FaultServer()
    let downloader = WebImageDownloader(config: config, engine: CurlEngine(label: label), clock: clock)
    do {
        try await body(server, downloader)
    } catch {
        downloader.shutdown()
        server.stop()
        throw error
    }
    downloader.shutdown()
    server.stop()
    try await LiveHandles.expectNone { $0.hasSuffix(label) }
}

extension WebImageDownloader {
    func fetch(
        _ url: URL, options: WebImageOptions = [], priority: LoadPriority = .normal,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> ImageDataResult {
        try await loadData(for: ImageDataLoad(url: url, options: options, priority: priority), progress: progress)
    }

    /// Returns the error with which the fetch fails. Throws if the fetch succeeds.
    func failure(_ url: URL, options: WebImageOptions = []) async throws -> WebImageError {
        let count: Int
        do throws(WebImageError) {
            count = try await fetch(url, options: options).data.count
        } catch {
            return error
        }
        throw UnexpectedSuccess(byteCount: count)
    }
}

/// The error if a fetch succeeds although the test expects a failure.
struct UnexpectedSuccess: Error {
    let byteCount: Int
}

/// Collects values. Every thread can append values and read all values.
final class Collected<Value: Sendable>: Sendable {
    private let state = Locked<[Value]>([])
    var values: [Value] { state.withLock { $0 } }
    func append(_ value: Value) { state.withLock { $0.append(value) } }
}

extension WebImageError {
    var curlCode: Int? {
        if case .curl(let code, _) = underlying { code } else { nil }
    }
}
