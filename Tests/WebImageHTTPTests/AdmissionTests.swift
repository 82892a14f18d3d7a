import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests how many downloads run, in which order they start, and which connections they use.
@Suite(.timeLimit(minutes: 1))
struct AdmissionTests {
    @Test func atMostTheMaximumRunAtOnce() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 3
        try await withDownloader(config) { server, downloader in
            var late = FaultResponse(.zeros(1000))
            late.delay = .milliseconds(5)
            server.route("/a", .respond(late))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask { _ = try await downloader.fetch(server.url("/a?\(number)")) }
                }
                try await group.waitForAll()
            }
            #expect(server.requests.count == 40)
            #expect(server.maxConcurrentRequests == 3)
        }
    }

    @Test func freedSlotGoesToTheHighestPriority() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        try await withDownloader(config) { server, downloader in
            let gate = FaultGate()
            server.route("/first", .gated(gate, .body(Data("1".utf8))))
            for path in ["/low", "/normal", "/high"] { server.route(path, .body(Data(path.utf8))) }
            var tasks = [Task { try await downloader.fetch(server.url("/first")) }]
            try await eventually("the first runs") { server.requestCount("/first") == 1 }
            for (path, priority) in [("/low", LoadPriority.low), ("/normal", .normal), ("/high", .high)] {
                let before = downloader.currentDownloadCount
                tasks.append(Task { try await downloader.fetch(server.url(path), priority: priority) })
                try await eventually("the download is queued") { downloader.currentDownloadCount == before + 1 }
            }
            gate.open()
            for task in tasks { _ = try await task.value }
            #expect(server.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
        }
    }

    @Test func suspendedDownloaderStartsNothing() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            downloader.isSuspended = true
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the download is queued") { downloader.currentDownloadCount == 1 }
            #expect(server.connectionCount == 0)
            downloader.isSuspended = false
            try await #expect(task.value.data == Data("a".utf8))
        }
    }

    @Test func sequentialRequestsUseOneConnection() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            // Every fourth request fails with 404. The downloader must read the short body of this response to the
            // end. Otherwise it could not reuse the connection.
            for number in 0..<20 {
                if number.isMultiple(of: 4) {
                    _ = try await downloader.failure(server.url("/missing"))
                } else {
                    _ = try await downloader.fetch(server.url("/a?\(number)"))
                }
            }
            #expect(server.requests.count == 20)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func requestCarriesTheDownloadersHeaderFields() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            downloader.setValue("mine", forHTTPHeaderField: "X-Mine")
            downloader.setValue("", forHTTPHeaderField: "X-Empty")
            _ = try await downloader.fetch(server.url("/a"))
            downloader.setValue(nil, forHTTPHeaderField: "x-mine")
            _ = try await downloader.fetch(server.url("/a"))
            let headers = server.requests.map(\.headers)
            #expect(headers[0]["accept"] == "image/*,*/*;q=0.8")
            #expect(headers[0]["user-agent"]?.contains("/") == true)
            #expect(headers[0]["accept-encoding"]?.contains("gzip") == true)
            #expect(headers[0]["x-mine"] == "mine")
            #expect(headers[0]["x-empty"] == "")
            #expect(headers[1]["x-mine"] == nil)
            #expect(downloader.value(forHTTPHeaderField: "ACCEPT") == "image/*,*/*;q=0.8")
        }
    }

    @Test func credentialsAnswerABasicChallengeAndStayWithTheirHost() async throws {
        var config = WebImageDownloaderConfig.default
        config.username = "user"
        config.password = "secret"
        try await withDownloader(config) { server, downloader in
            server.route(
                "/a",
                .dynamic { request in
                    request.headers["authorization"] == "Basic dXNlcjpzZWNyZXQ="
                        ? .body(Data("a".utf8))
                        : .body(Data("no".utf8), status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                })
            try await #expect(downloader.fetch(server.url("/a")).data == Data("a".utf8))
            let other = try FaultServer()
            defer { other.stop() }
            other.route("/b", .body(Data("b".utf8)))
            server.route("/away", .redirect(to: other.url("/b").absoluteString))
            _ = try await downloader.fetch(server.url("/away"))
            #expect(other.requests.map { $0.headers["authorization"] } == [nil])
        }
    }

    @Test func cookiesAreKeptOnlyWhenAsked() async throws {
        try await withDownloader { server, downloader in
            server.route("/set", .body(Data("a".utf8), headers: ["Set-Cookie": "id=7; Path=/"]))
            server.route("/get", .body(Data("b".utf8)))
            _ = try await downloader.fetch(server.url("/set"), options: .handleCookies)
            _ = try await downloader.fetch(server.url("/get"), options: .handleCookies)
            _ = try await downloader.fetch(server.url("/get"))
            #expect(server.requests.map { $0.headers["cookie"] } == [nil, "id=7", nil])
        }
    }
}
