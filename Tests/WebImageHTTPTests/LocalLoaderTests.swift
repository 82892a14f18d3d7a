import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// `FileImageLoader` reads regular files up to the size limit. For everything else, such as folders, FIFOs
/// and devices, it throws an error that names the reason.
@Suite(.timeLimit(minutes: 1))
struct FileImageLoaderTests {
    private let scratch: ScratchFolder
    private var folder: URL { scratch.url }
    private let loader = FileImageLoader()

    init() throws {
        scratch = try ScratchFolder()
    }

    private func failure(_ url: URL, limit: Int? = nil) async -> WebImageError? {
        var limits = DecodingLimits.default
        if let limit { limits.maxEncodedBytes = limit }
        do throws(WebImageError) {
            _ = try await loader.loadData(
                for: ImageDataLoad(url: url, context: [.decodingLimits: limits]), progress: nil)
            return nil
        } catch {
            return error
        }
    }

    private func posixNumber(_ error: WebImageError?) -> Int32? {
        if case .posix(let number, _) = error?.underlying { number } else { nil }
    }

    /// A file name on Linux can be any bytes. GIO writes a name that is not UTF-8 with percent escapes.
    @Test func nameThatIsNotUTF8IsRead() async throws {
        let bytes = Array("\(folder.path)/caf".utf8) + [0xE9] + Array(".png".utf8) + [0]
        let path = bytes.map { CChar(bitPattern: $0) }
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        #expect(descriptor >= 0)
        #expect(write(descriptor, "latin", 5) == 5)
        close(descriptor)
        let url = try #require(URL(string: "file://\(folder.path)/caf%E9.png"))
        try await #expect(loader.loadData(for: ImageDataLoad(url: url), progress: nil).data == Data("latin".utf8))
        try await #expect(
            WebImageDownloader().loadData(for: ImageDataLoad(url: url), progress: nil).data == Data("latin".utf8))
        for text in ["caf%E9%00.png", "caf%E", "caf%zz"] {
            guard let url = URL(string: "file://\(folder.path)/\(text)") else { continue }
            #expect(await failure(url) != nil)
        }
    }

    @Test func regularFileIsReadWithProgress() async throws {
        let url = folder.appendingPathComponent("a b%20ü.png")
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        try body.write(to: url)
        let seen = Collected<Int>()
        let result = try await loader.loadData(for: ImageDataLoad(url: url)) { received, _, _ in seen.append(received) }
        #expect(result.data == body)
        #expect(result.response.statusCode == nil)
        #expect(seen.values.first == 0)
        #expect(seen.values.last == body.count)
        #expect(seen.values == seen.values.sorted())
    }

    @Test(arguments: [1, 4095, 4096, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 2 << 20, 5_000_001])
    func everySizeIsReadWhole(_ size: Int) async throws {
        let url = folder.appendingPathComponent("a")
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 10) })
        try body.write(to: url)
        let result = try await loader.loadData(for: ImageDataLoad(url: url), progress: nil)
        #expect(result.data == body)
        // The test changes a copy of the data and truncates the file. The result must not change. If the data were
        // mapped from the file, the result would change.
        var copy = result.data
        copy[0] ^= 0xFF
        try Data().write(to: url)
        #expect(result.data == body && copy != body)
    }

    @Test func fileWithoutASizeIsReadToItsEnd() async throws {
        // The kernel generates the contents of this file during a read and reports a size of 0. The loader must
        // not trust this size.
        let url = URL(fileURLWithPath: "/proc/self/maps")
        let result = try await loader.loadData(for: ImageDataLoad(url: url), progress: nil)
        #expect(result.data.count > 1000)
        #expect(await failure(url, limit: 100)?.code == .limitExceeded)
    }

    @Test func missingFileFolderFIFOAndDeviceHaveReasons() async throws {
        let fifo = folder.appendingPathComponent("fifo")
        #expect(mkfifo(fifo.path, 0o600) == 0)
        #expect(await posixNumber(failure(folder.appendingPathComponent("none.png"))) == ENOENT)
        #expect(await posixNumber(failure(folder)) == EISDIR)
        #expect(await failure(fifo)?.underlying == .message("not a regular file"))
        #expect(await failure(URL(fileURLWithPath: "/dev/zero"))?.underlying == .message("not a regular file"))
    }

    @Test func limitAppliesToTrueAndFalseDeclaredSizes() async throws {
        let url = folder.appendingPathComponent("a")
        try Data(count: 1000).write(to: url)
        #expect(await failure(url, limit: 999)?.underlying == .limit(.encodedBytes, actual: 1000, allowed: 999))
        #expect(await failure(url, limit: 1000) == nil)
        // The kernel reports a size of 0 for this file. To enforce the limit, the loader must count the bytes
        // that it reads.
        #expect(await failure(URL(fileURLWithPath: "/proc/self/status"), limit: 10)?.code == .limitExceeded)
    }

    @Test func emptyFileOtherHostAndNULAreRefused() async throws {
        let url = folder.appendingPathComponent("empty")
        try Data().write(to: url)
        #expect(await failure(url)?.code == .badImageData)
        #expect(await failure(URL(string: "file://elsewhere/etc/hostname")!)?.code == .invalidURL)
        #expect(await failure(URL(string: "file:///etc/hostname%00.png")!)?.code == .invalidURL)
    }

    @Test func cancelledReadIsCancelled() async throws {
        let url = folder.appendingPathComponent("a")
        try Data(count: 10).write(to: url)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.loadData(for: ImageDataLoad(url: url), progress: nil)
        }
        await #expect { try await task.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
    }

    @Test func aCancelDuringTheReadEndsIt() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("a")
        let byteCount = 60 << 20
        // A sparse file takes no disk space.
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil) && truncate(url.path, byteCount) == 0)
        let task = Locked<Task<Data, any Error>?>(nil)
        let before = try bytesRead()
        let loading = Task {
            try await loader.loadData(for: ImageDataLoad(url: url)) { received, _, _ in
                if received > 0 { task.withLock { $0 }?.cancel() }
            }.data
        }
        task.withLock { $0 = loading }
        await #expect { try await loading.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
        // The load has ended, but the read can still run on another thread. The read has ended when the file is
        // closed.
        #expect(await eventually { !isOpen(url) })
        #expect(try bytesRead() - before < byteCount / 2)
    }

    private func bytesRead() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        return try #require(Int(text.split(separator: "\n")[0].dropFirst("rchar: ".count)))
    }

    private func isOpen(_ url: URL) -> Bool {
        let folder = "/proc/self/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == url.path
        }
    }
}

/// Tests how `DataURLContent` parses `data:` URLs for `DataURLImageLoader`.
struct DataURLImageLoaderTests {
    private func content(_ text: String, limit: Int = 1000) throws -> DataURLContent {
        try DataURLContent(#require(URL(string: text)), maxBytes: limit)
    }

    @Test(arguments: [
        ("data:image/png;base64,aGVsbG8=", "image/png", "hello"),
        ("data:image/png;base64,aGVsbG8", "image/png", "hello"),
        // The WHATWG's fetch standard skips blanks before `base64`. `URL` writes them as escapes.
        ("data:image/png; base64,aGVsbG8=", "image/png", "hello"),
        ("data: image/png ;  BASE64,aGVsbG8=", "image/png", "hello"),
        ("data:image/png;charset=utf-8; base64 ,aGVsbG8=", "image/png", "hello"),
        ("data:image/png;base64,aGVs%62G8%3D", "image/png", "hello"),
        ("data:image/png;base64,aGVs%0AbG8=", "image/png", "hello"),
        ("DATA:IMAGE/SVG+XML;charset=utf-8;BASE64,aGVsbG8=", "image/svg+xml", "hello"),
        ("data:,hel%6Co", "text/plain", "hello"),
        ("data:image/svg+xml,%3Csvg%3E,x", "image/svg+xml", "<svg>,x"),
        ("data:;base64,Pz8_", "text/plain", "???"),
        ("data:text/plain,hello#fragment", "text/plain", "hello"),
    ]) func spelledBytesAreRead(text: String, type: String, body: String) throws {
        let content = try content(text)
        #expect(content.mimeType == type)
        #expect(String(decoding: content.data, as: UTF8.self) == body)
    }

    @Test(arguments: ["data:image/png;base64", "data:image/png;base64,!!!!", "data:image/png;base64,a"])
    func damagedDataURLsAreInvalid(text: String) {
        #expect { try content(text) } throws: { ($0 as? WebImageError)?.code == .invalidURL }
    }

    @Test func dataURLsAreCheckedForLimitAndEmptiness() {
        #expect { try content("data:,hello", limit: 4) } throws: { ($0 as? WebImageError)?.code == .limitExceeded }
        #expect { try content("data:image/png;base64,") } throws: { ($0 as? WebImageError)?.code == .badImageData }
    }
}

/// `ImageLoadersManager` passes each load to the loader that accepts the scheme of the URL.
@Suite(.timeLimit(minutes: 1))
struct ImageLoadersManagerTests {
    @Test func everySchemeFindsItsLoader() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("http".utf8)))
            let loaders = ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader(), downloader])
            func fetch(_ url: URL) async throws -> Data {
                try await loaders.loadData(for: ImageDataLoad(url: url), progress: nil).data
            }
            try await #expect(fetch(server.url("/a")) == Data("http".utf8))
            try await #expect(fetch(URL(string: "data:,x")!) == Data("x".utf8))
            try await #expect(!fetch(URL(fileURLWithPath: "/proc/self/status")).isEmpty)
        }
    }

    @Test func errorForAnUnknownSchemeNamesTheSupportedOnes() async throws {
        let loaders = ImageLoadersManager(loaders: [DataURLImageLoader(), FileImageLoader()])
        let url = try #require(URL(string: "gopher://x/a"))
        await #expect {
            try await loaders.loadData(for: ImageDataLoad(url: url), progress: nil)
        } throws: { error in
            let error = error as? WebImageError
            return error?.code == .invalidURL && error?.hint == "URLs of these schemes work: data, file."
        }
    }

    @Test func lastAddedLoaderIsAskedFirst() throws {
        let mine = FileImageLoader()
        let loaders = ImageLoadersManager(loaders: [FileImageLoader()])
        loaders.addLoader(mine)
        let url = URL(fileURLWithPath: "/a")
        #expect(loaders.loader(for: url) as AnyObject === mine)
        loaders.removeLoader(mine)
        #expect(loaders.loaders.count == 1)
        #expect(loaders.loader(for: url) as AnyObject !== mine)
    }
}
