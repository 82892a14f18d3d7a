import Foundation
import WebImage
import WebImageHTTP
import WebImageLoading
import WebImageTesting

@testable import WebImageService

/// A loader that replaces the network. It counts fetches and returns the bytes, header fields or failures that the
/// test sets.
final class SourceServer: ImageLoader {
    private struct State {
        var answers: [String: Result<Data, WebImageError>] = [:]
        var fields: [String: [String: String]] = [:]
        var fetches: [String: Int] = [:]
        var wholeFetches = 0
        var describes = false
        var isClosed = false
        var waiting: [(id: Int, waiter: ValueContinuation<Bool>)] = []
        var later: [String: Data] = [:]
        var cancels = 0
        var nextID = 0
    }

    private let state = Locked(State())

    func answer(_ url: String, _ data: Data, _ fields: [String: String] = [:]) {
        state.withLock { state in
            state.answers[url] = .success(data)
            state.fields[url] = fields
        }
    }

    /// The next fetch receives the answer that was set, every later one these bytes.
    func answerOnce(_ url: String, then data: Data) { state.withLock { $0.later[url] = data } }

    func fail(_ url: String, _ error: WebImageError) { state.withLock { $0.answers[url] = .failure(error) } }

    func fetchCount(_ url: String) -> Int { state.withLock { $0.fetches[url] ?? 0 } }
    var fetchCount: Int { state.withLock { $0.fetches.values.reduce(0, +) } }
    /// Returns the metadata of a downloader from now on: tiers hold only sources with metadata.
    func describeResponses() { state.withLock { $0.describes = true } }

    /// The fetches of a service that has no bytes of the source on its disk. For the others, a downloader uses those bytes
    /// while they are fresh.
    var wholeFetchCount: Int { state.withLock { $0.wholeFetches } }
    var cancelCount: Int { state.withLock { $0.cancels } }

    /// Lets new fetches wait until ``open()`` is called.
    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        let waiting = state.withLock { state in
            state.isClosed = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for entry in waiting { entry.waiter.resume(returning: true) }
    }

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let url = load.url.absoluteString
        let id = state.withLock { state in
            state.fetches[url, default: 0] += 1
            if load.cached == nil { state.wholeFetches += 1 }
            state.nextID += 1
            return state.nextID
        }
        let isServed = await withTaskCancellationHandler {
            await withValueContinuation { waiter in
                let isOpen = state.withLock { state in
                    if state.isClosed, !Task.isCancelled { state.waiting.append((id, waiter)) }
                    return !state.isClosed || Task.isCancelled
                }
                if isOpen { waiter.resume(returning: !Task.isCancelled) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> ValueContinuation<Bool>? in
                state.cancels += 1
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiting.remove(at: index).waiter
            }
            waiter?.resume(returning: false)
        }
        guard isServed else { throw .cancelled }
        let (answer, fields) = state.withLock { state in
            defer { if let next = state.later.removeValue(forKey: url) { state.answers[url] = .success(next) } }
            return (state.answers[url], state.fields[url] ?? [:])
        }
        switch answer {
        case .success(let data):
            let response = WebImageResponse(url: load.url, statusCode: 200, allHeaderFields: fields)
            var result = ImageDataResult(data: data, response: response)
            if state.withLock({ $0.describes }) {
                let now = SystemClock().date
                result.metadata =
                    StoredResponse(
                        response, to: WebImageRequest(url: load.url), requestTime: now, responseTime: now
                    ).serialized
            }
            return result
        case .failure(let error): throw error
        case nil:
            throw WebImageError(
                .invalidDownloadStatusCode, stage: .download, url: load.url, underlying: .http(status: 404))
        }
    }

    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
}

/// A service with a ``SourceServer``, a virtual clock and a separate cache folder. `time` replaces the virtual clock.
struct ServiceBench {
    let server = SourceServer()
    let clock: VirtualClock
    let folder: ScratchFolder
    let service: ImageService

    static let url = "http://example.com/photo.png"

    init(
        clock: VirtualClock = VirtualClock(), folder: ScratchFolder? = nil, coders: ImageCodersManager = .shared,
        time: (any DelayClock)? = nil, _ configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws {
        self.clock = clock
        self.folder = try folder ?? ScratchFolder()
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = self.folder.url.path
        configuration.offersAVIF = false
        configure(&configuration)
        service = try ImageService(configuration: configuration, loader: server, clock: time ?? clock, coders: coders)
        server.answer(Self.url, try PictureFixtures.quadrants())
    }

    func get(
        _ target: String, _ headers: ServiceHeaders = [:], method: String = "GET", client: String? = nil
    ) async -> ServiceResponse {
        await service.respond(to: ServiceRequest(method: method, target: target, headers: headers, client: client))
    }

    /// Sends `count` requests for `results` different results and returns the responses. Opens the server only after
    /// the service has accepted all requests and has begun the work for each result. Call ``SourceServer/close()``
    /// before.
    func many(
        _ count: Int, results: Int, target: @escaping @Sendable (Int) -> String
    ) async -> [ServiceResponse] {
        await withTaskGroup(of: ServiceResponse.self) { group in
            for index in 0..<count { group.addTask { await get(target(index)) } }
            _ = await eventually {
                let limiter = service.provider.limiter
                return limiter.requestCount == count && limiter.workCount == results
            }
            server.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Returns the response for the default source with the given options.
    func picture(_ options: String = "w:40", _ headers: ServiceHeaders = [:]) async -> ServiceResponse {
        await get("/_/\(options)/plain/\(Self.url)", headers)
    }
}

extension ServiceResponse {
    var data: Data {
        switch body {
        case .none, .arriving: Data()
        case .bytes(let data): data
        case .file(let file, let range): file.bytes(in: range)
        }
    }

    var text: String { String(decoding: data, as: UTF8.self) }
}
