import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// A body that exceeds the memory limit is written to an unnamed file while the body arrives. After the load, no
/// file and no handle remains.
@Suite(.serialized, .timeLimit(minutes: 2))
struct LargeBodyTests {
    private let scratch: ScratchFolder
    private let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    init() throws { scratch = try ScratchFolder() }

    private var bodyFolder: String { scratch.url.path + "/made/when/needed" }

    private func config(inMemory count: Int) -> WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytesInMemory = count
        config.bodyFolder = bodyFolder
        return config
    }

    /// The file names in the folder for large bodies, or nil if the folder does not exist.
    private var files: [String]? { try? FileManager.default.contentsOfDirectory(atPath: bodyFolder) }

    private static func isOfBodies(_ kind: String) -> Bool { ["unnamed file", "mapped body"].contains(kind) }

    @Test(.enabled(if: ProcessMemory.isMeasurable, "the address sanitizer keeps freed memory"))
    func bodyOf100MBNeedsNoMoreMemoryThanTheLimit() async throws {
        let total = 100 << 20
        var config = config(inMemory: 4 << 20)
        config.maxBodyBytes = total
        try await withDownloader(config) { server, downloader in
            var response = FaultResponse(.zeros(total))
            response.framing = .chunked
            server.route("/a", .respond(response))
            server.route("/warm", .respond(FaultResponse(.zeros(1 << 20))))
            _ = try await downloader.fetch(server.url("/warm"))
            let before = try #require(ProcessMemory.anonymousBytes)
            let peak = Locked(before)
            let result = try await downloader.fetch(server.url("/a")) { _, _, _ in
                peak.withLock { $0 = max($0, ProcessMemory.anonymousBytes ?? .max) }
            }
            peak.withLock { $0 = max($0, ProcessMemory.anonymousBytes ?? .max) }
            #expect(result.data.count == total)
            #expect(result.data.last == 0)
            // The downloader keeps the first 4 MiB of a body in memory. While it moves these bytes to the file, it
            // needs up to 8 MiB. The rest of the 24 MiB is for other allocations of this process.
            #expect(peak.withLock { $0 } - before < 24 << 20, "\(peak.withLock { $0 } - before) bytes")
            #expect(files == [])
            #expect(LiveHandles.current["mapped body"] == 1)
        }
        try await LiveHandles.expectNone { Self.isOfBodies($0) }
    }

    @Test(arguments: [0, 1, 64 * 1024, 150_000, 299_999, 300_000, 8 << 20])
    func bytesAreTheSameAtEveryMemoryThreshold(inMemory: Int) async throws {
        try await withDownloader(config(inMemory: inMemory)) { server, downloader in
            var response = FaultResponse(.data(body))
            response.piece = 50_000
            server.route("/a", .respond(response))
            let pieces = Collected<Data>()
            var load = ImageDataLoad(url: server.url("/a"))
            load.receivedData = { bytes, _ in pieces.append(bytes) }
            let result = try await downloader.loadData(for: load, progress: nil)
            #expect(result.data == body)
            #expect(pieces.values.reduce(Data(), +) == body)
            #expect((files == nil) == (inMemory >= body.count))
        }
    }

    @Test func decryptorReceivesTheWholeBodyOfAFile() async throws {
        try await withDownloader(config(inMemory: 1000)) { server, downloader in
            server.route("/a", .body(body))
            downloader.decryptor = WebImageDownloaderDecryptor { data, _ in Data(data.reversed()) }
            try await #expect(downloader.fetch(server.url("/a")).data == Data(body.reversed()))
        }
        try await LiveHandles.expectNone { Self.isOfBodies($0) }
    }

    /// The ways in which a download of a large body can stop early.
    enum Ending: CaseIterable { case error, limit, cancel, deadline, shutdown }

    @Test(arguments: Ending.allCases) func incompleteBodyLeavesNoFile(_ ending: Ending) async throws {
        var config = config(inMemory: 1000)
        if ending == .limit { config.maxBodyBytes = 250_000 }
        if ending == .deadline { config.downloadDeadline = 30 }
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            var response = FaultResponse(.data(body))
            response.framing = .chunked
            response.piece = 100_000
            if ending == .error { response.closeAfter = 200_000 }
            if [.cancel, .deadline, .shutdown].contains(ending) { response.interval = .seconds(60) }
            server.route("/a", .respond(response))
            let seen = Collected<Int>()
            let task = Task { try await downloader.fetch(server.url("/a")) { count, _, _ in seen.append(count) } }
            if ending != .error, ending != .limit {
                try await eventually("100,000 bytes arrived") { seen.values.last == 100_000 }
                #expect(LiveHandles.current["unnamed file"] == 1)
                #expect(files == [])
            }
            switch ending {
            case .error, .limit: break
            case .cancel: task.cancel()
            case .deadline: clock.advance(by: .seconds(30))
            case .shutdown: downloader.shutdown()
            }
            await #expect(throws: WebImageError.self) { try await task.value }
            try await LiveHandles.expectNone { Self.isOfBodies($0) }
            #expect(files == [])
        }
    }

    @Test func bodyStaysInMemoryWhereNoFileCanBeMade() async throws {
        var config = config(inMemory: 1000)
        config.bodyFolder = "/proc/nowhere"
        try await withDownloader(config) { server, downloader in
            server.route("/a", .body(body))
            let result = try await downloader.fetch(server.url("/a"))
            #expect(result.data == body && LiveHandles.current["mapped body"] ?? 0 == 0)
        }
    }

    @Test(.enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"))
    func bodyReturnsToMemoryWhenTheDiskIsFull() async throws {
        let small = try FailingFileSystem(bytes: 128 * 1024)
        var config = config(inMemory: 1000)
        config.bodyFolder = small.path
        try await withDownloader(config) { server, downloader in
            server.route("/a", .body(body))
            try await #expect(downloader.fetch(server.url("/a")).data == body)
        }
        try await LiveHandles.expectNone { Self.isOfBodies($0) }
    }
}
