import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// The downloader sends exactly the request that identifies the shared task.
@Suite(.timeLimit(minutes: 1))
struct PreparedLoadTests {
    @Test(arguments: [nil, "alice"], [[], WebImageOptions.handleCookies])
    func aRequestModifierRunsOncePerLoad(scope: String?, options: WebImageOptions) async throws {
        let journey = try Journey()
        journey.server.route("/a.png", .respond(FaultResponse(.data(try Journey.file()))))
        let calls = Locked(0)
        var request = ImageRequest(url: journey.server.url("/a.png"), options: options)
        request.requestModifier = WebImageDownloaderRequestModifier(cacheScope: scope.map { .scoped($0) }) { request in
            calls.withLock { $0 += 1 }
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Modified")
            return request
        }
        _ = try await journey.manager.image(for: request)
        #expect(calls.withLock { $0 } == 1)
        #expect(journey.server.requests.map { $0.headers["x-modified"] } == ["1"])
    }

    /// The request is prepared before the load receives its priority. The transfer must use the load's priority.
    @Test func aPreparedDownloadStartsWithThePriorityOfItsLoad() async throws {
        let journey = try Journey()
        journey.downloader.isSuspended = true
        let ends = Locked<[String]>([])
        for (name, priority) in [("low", LoadPriority.low), ("high", .high)] {
            journey.server.route("/\(name)", .respond(FaultResponse(.data(try Journey.file()))))
            var request = ImageRequest(url: journey.server.url("/\(name)"), priority: priority)
            request.callbackQueue = .invoking
            journey.manager.loadImage(with: request) { _, _, _, _, _, _ in ends.withLock { $0.append(name) } }
        }
        #expect(await eventually { journey.downloader.currentDownloadCount == 2 })
        var config = journey.downloader.config
        config.maxConcurrentDownloads = 1
        journey.downloader.config = config
        journey.downloader.isSuspended = false
        #expect(await eventually { ends.withLock { $0.count } == 2 })
        #expect(journey.server.requests.map(\.path) == ["/high", "/low"])
    }
}
