import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// If the connection of a download is lost, this process or a later process continues from the partial body. If the
/// body on the server may have changed, the download starts again from the first byte. Otherwise the result could be
/// a mix of two versions of a file.
@Suite(.timeLimit(minutes: 1))
struct ResumeTests {
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-\(UUID().uuidString)")

    private var config: WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        config.resumeFolder = folder
        return config
    }

    /// Returns a server behaviour that closes the connection after 40,000 bytes of the body. If a request has a
    /// `Range` field, the behaviour calls `rest` instead.
    private func breaking(tag: String, then rest: @escaping @Sendable (FaultRequest) -> FaultBehaviour)
        -> FaultBehaviour
    {
        let body = body
        return .dynamic { request in
            guard request.headers["range"] == nil else { return rest(request) }
            var response = FaultResponse(.data(body), headers: ["ETag": tag, "Content-Type": "image/png"])
            response.closeAfter = 40_000
            return .respond(response)
        }
    }

    private func range(_ request: FaultRequest, of body: Data, from offset: Int = 0, total: Int? = nil)
        -> FaultBehaviour
    {
        let first =
            (Int(request.headers["range"]?.split(whereSeparator: { "=-".contains($0) }).last ?? "") ?? 0) + offset
        let headers = ["Content-Range": "bytes \(first)-\(body.count - 1)/\(total ?? body.count)", "ETag": "\"1\""]
        return .body(Data(body.dropFirst(first)), status: 206, headers: headers)
    }

    /// The file names of the stored partial bodies. Files that are still being written have another extension.
    private func parts() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".part") }
    }

    private func breakOnce(_ server: FaultServer, tag: String = "\"1\"") async throws {
        defer { server.route("/a", .status(500)) }
        server.route("/a", breaking(tag: tag) { _ in .status(500) })
        try await withoutSharing(server) { downloader in
            try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
        }
    }

    /// Runs the closure with a new downloader that uses the same resume folder. This simulates another process.
    private func withoutSharing(_ server: FaultServer, _ body: (WebImageDownloader) async throws -> Void) async throws {
        let downloader = WebImageDownloader(config: config)
        defer { downloader.shutdown() }
        try await body(downloader)
    }

    @Test func anotherProcessResumesABrokenDownload() async throws {
        try await withDownloader(config) { server, downloader in
            try await breakOnce(server)
            try await eventually("the beginning is stored") { parts().count == 1 }
            server.route("/a", breaking(tag: "\"1\"") { [body] in range($0, of: body) })
            let seen = Collected<Int>()
            let result = try await downloader.fetch(server.url("/a")) { received, _, _ in seen.append(received) }
            #expect(result.data == body)
            #expect(result.response.statusCode == 200)
            #expect(result.response.expectedContentLength == body.count)
            #expect(server.requests.last?.headers["range"] == "bytes=40000-")
            #expect(server.requests.last?.headers["if-range"] == "\"1\"")
            #expect(seen.values.last == body.count)
            try await eventually("the beginning is removed") { parts().isEmpty }
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Servers that remember the tag of a path keep it when the file is replaced, and answer a conditional range with a part of
    /// the new file. Only its date differs.
    @Test(arguments: [true, false]) func partOfAReplacedFileWithTheSameTagIsNotJoined(inAnotherProcess: Bool)
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (body, Data(body.reversed()))
        let wasReplaced = Locked(false)
        let behaviour = FaultBehaviour.dynamic { request in
            let replaced = wasReplaced.withLock { $0 }
            let file = replaced ? second : first
            var headers = [
                "ETag": "\"1\"", "Content-Type": "image/png",
                "Last-Modified": replaced ? "Mon, 02 Nov 2026 10:00:00 GMT" : "Sun, 01 Nov 2026 10:00:00 GMT",
            ]
            if let range = request.headers["range"], let start = Int(range.dropFirst(6).dropLast()) {
                headers["Content-Range"] = "bytes \(start)-\(file.count - 1)/\(file.count)"
                return .body(Data(file.dropFirst(start)), status: 206, headers: headers)
            }
            var response = FaultResponse(.data(file), headers: headers)
            if !replaced { response.closeAfter = 40_000 }
            wasReplaced.withLock { $0 = true }
            return .respond(response)
        }
        var config = config
        if !inAnotherProcess { config.retryStrategy = ExponentialBackoff { 0 } }
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", behaviour)
            if inAnotherProcess {
                try await withoutSharing(server) { downloader in
                    try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
                }
                #expect(parts().count == 1)
            }
            async let load = downloader.fetch(server.url("/a"))
            if !inAnotherProcess {
                try await eventually("the retry waits") { clock.waitingCount == 1 }
                clock.advance(by: .seconds(60))
            }
            #expect(try await load.data == second)
            #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=40000-", nil])
        }
    }

    @Test(arguments: ["no-store", "private, No-Store"]) func partOfANoStoreResponseIsNeverOnDisk(control: String)
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withDownloader(config) { server, _ in
            var response = FaultResponse(
                .data(body), headers: ["ETag": "\"1\"", "Content-Type": "image/png", "Cache-Control": control])
            response.closeAfter = 40_000
            server.route("/a", .respond(response))
            // `withoutSharing` ends with `shutdown()`, which waits until partial bodies are stored. Because
            // of `no-store`, the partial body of this response must not be stored.
            try await withoutSharing(server) { downloader in
                try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
            }
            #expect(parts() == [])
            // If only a later response has `no-store`, the partial body that is already on disk must be removed.
            try await breakOnce(server)
            #expect(parts().count == 1)
            server.route("/a", .respond(response))
            try await withoutSharing(server) { downloader in
                try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
            }
            #expect(parts() == [])
        }
    }

    @Test func partOfANoStoreResponseIsResumedFromMemory() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var config = config
        config.retryStrategy = ExponentialBackoff { 0 }
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            let rest = breaking(tag: "\"1\"") { [body] in range($0, of: body) }
            server.route(
                "/a",
                .dynamic { [body] request in
                    guard request.headers["range"] == nil else { return rest }
                    var response = FaultResponse(.data(body), headers: ["ETag": "\"1\"", "Cache-Control": "no-store"])
                    response.closeAfter = 40_000
                    return .respond(response)
                })
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the retry waits") { clock.waitingCount == 1 }
            clock.advance(by: .seconds(1))
            try await #expect(task.value.data == body)
            #expect(server.requests.last?.headers["range"] == "bytes=40000-")
            #expect(parts() == [])
        }
    }

    @Test func changedBodyIsFetchedWhole() async throws {
        let other = Data(body.reversed())
        try await withDownloader(config) { server, downloader in
            try await breakOnce(server)
            server.route("/a", .body(other, headers: ["ETag": "\"2\""]))
            try await #expect(downloader.fetch(server.url("/a")).data == other)
            #expect(server.requests.last?.headers["range"] == "bytes=40000-")
        }
        try? FileManager.default.removeItem(at: folder)
    }

    @Test(arguments: ["offset", "total", "status", "tag"]) func wrongRangeIsFetchedAgain(fault: String) async throws {
        let body = body
        try await withDownloader(config) { server, downloader in
            try await breakOnce(server)
            server.route(
                "/a",
                .dynamic { request in
                    guard request.headers["range"] != nil else { return .body(body) }
                    switch fault {
                    case "offset": return range(request, of: body, from: 1)
                    case "total": return range(request, of: body, total: body.count + 1)
                    case "status": return .status(416)
                    default:
                        let headers = ["Content-Range": "bytes 40000-99999/100000", "ETag": "\"2\""]
                        return .body(Data(body[40_000...]), status: 206, headers: headers)
                    }
                })
            try await #expect(downloader.fetch(server.url("/a")).data == body)
            #expect(server.requests.suffix(2).map { $0.headers["range"] } == ["bytes=40000-", nil])
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// Without a tag, the time of modification identifies the body if the server sent it at least a minute later.
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:37 GMT", modified, true), ("Sun, 06 Nov 1994 08:50:36 GMT", modified, false),
        (nil, modified, false), ("Sun, 06 Nov 1994 09:50:37 GMT", "garbage", false),
    ])
    func timeOfModificationResumesABodyWithoutATag(date: String?, modified: String, isResumed: Bool) async throws {
        var fields = ["Last-Modified": modified, "Content-Type": "image/png"]
        fields["Date"] = date
        try await withDownloader(config) { [fields, body] server, downloader in
            server.route(
                "/a",
                .dynamic { request in
                    var response = FaultResponse(.data(body), headers: fields)
                    response.closeAfter = 40_000
                    return .respond(response)
                })
            try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
            if isResumed { try await eventually("the beginning is stored") { parts().count == 1 } }
            server.route(
                "/a",
                .dynamic { request in
                    guard request.headers["range"] != nil else { return .body(body) }
                    let range = "bytes 40000-\(body.count - 1)/\(body.count)"
                    return .body(
                        Data(body.dropFirst(40_000)), status: 206,
                        headers: ["Content-Range": range, "Last-Modified": modified])
                })
            try await #expect(downloader.fetch(server.url("/a")).data == body)
            #expect(server.requests.last?.headers["range"] == (isResumed ? "bytes=40000-" : nil))
            #expect(server.requests.last?.headers["if-range"] == (isResumed ? modified : nil))
        }
        try? FileManager.default.removeItem(at: folder)
    }

    /// A part that does not name the same time may belong to another body.
    @Test(arguments: [nil, "Mon, 07 Nov 1994 08:49:37 GMT"])
    func partOfAnotherTimeOfModificationIsNotJoined(time: String?) async throws {
        try await withDownloader(config) { [body] server, downloader in
            server.route(
                "/a",
                .dynamic { request in
                    if request.headers["range"] != nil {
                        var fields = ["Content-Range": "bytes 40000-\(body.count - 1)/\(body.count)"]
                        fields["Last-Modified"] = time
                        return .body(Data(repeating: 1, count: body.count - 40_000), status: 206, headers: fields)
                    }
                    var response = FaultResponse(
                        .data(body), headers: ["Last-Modified": Self.modified, "Date": "Mon, 07 Nov 1994 08:49:37 GMT"])
                    if server.requests.count == 1 { response.closeAfter = 40_000 }
                    return .respond(response)
                })
            try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
            try await eventually("the beginning is stored") { parts().count == 1 }
            try await #expect(downloader.fetch(server.url("/a")).data == body)
            #expect(server.requests.count == 3)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func weakValidatorsAreNotUsedForResume() async throws {
        try await withDownloader(config) { server, downloader in
            try await breakOnce(server, tag: "W/\"1\"")
            server.route("/a", .body(body))
            _ = try await downloader.fetch(server.url("/a"))
            #expect(server.requests.allSatisfy { $0.headers["range"] == nil })
            #expect(parts().isEmpty)
        }
    }

    @Test(arguments: ["", "garbage", "webimage-part 1\n\"1\"\n100000\n99\nshort"])
    func damagedPartsAreIgnored(text: String) async throws {
        try await withDownloader(config) { server, downloader in
            try await breakOnce(server)
            try await eventually("the beginning is stored") { parts().count == 1 }
            try Data(text.utf8).write(to: folder.appendingPathComponent(parts()[0]))
            server.route("/a", .body(body))
            try await #expect(downloader.fetch(server.url("/a")).data == body)
            #expect(server.requests.last?.headers["range"] == nil)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func cancelledDownloadKeepsItsPart() async throws {
        try await withDownloader(config) { server, downloader in
            var response = FaultResponse(.data(body), headers: ["ETag": "\"1\""])
            response.piece = 50_000
            response.interval = .seconds(60)
            server.route("/a", .respond(response))
            let seen = Collected<Int>()
            let task = Task { try await downloader.fetch(server.url("/a")) { received, _, _ in seen.append(received) } }
            try await eventually("half of the body arrived") { seen.values.last == 50_000 }
            task.cancel()
            _ = await task.result
            try await eventually("the beginning is stored") { parts().count == 1 }
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + parts()[0])[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
            server.route("/a", .dynamic { [body] in range($0, of: body) })
            try await #expect(downloader.fetch(server.url("/a")).data == body)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func retryResumesWithoutAFolder() async throws {
        var config = WebImageDownloaderConfig.default
        config.retryStrategy = ExponentialBackoff { 0 }
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", breaking(tag: "\"1\"") { [body] in range($0, of: body) })
            let pieces = Collected<Data>()
            var load = ImageDataLoad(url: server.url("/a"))
            load.receivedData = { bytes, _ in pieces.append(bytes) }
            let task = Task { [load] in try await downloader.loadData(for: load, progress: nil) }
            try await eventually("the retry waits") { clock.waitingCount == 1 }
            clock.advance(by: .seconds(1))
            try await #expect(task.value.data == body)
            // The bytes of both attempts together are the complete body.
            #expect(pieces.values.reduce(Data(), +) == body)
        }
    }
}
