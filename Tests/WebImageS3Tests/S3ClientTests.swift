import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@testable import WebImageS3

/// The client against stores that fail, and its parts without a store.
@Suite(.timeLimit(minutes: 2)) struct S3ClientTests {
    private let budget = Sanitizer.time(Duration.seconds(10))

    private func client(
        _ server: FaultServer, clock: any DelayClock = SystemClock(), environment: [String: String] = [:],
        _ change: (inout S3Configuration) -> Void = { _ in }
    ) throws -> S3Client {
        var configuration = try S3Configuration(bucket: "pictures", endpoint: "http://127.0.0.1:\(server.port)")
        configuration.credentials = .fixed(S3Credentials(keyID: "key", secret: "secret"))
        change(&configuration)
        return S3Client(configuration, environment: environment, clock: clock)
    }

    private func refusal(_ status: Int, _ code: String) -> FaultBehaviour {
        .body(
            Data("<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>m</Message></Error>".utf8),
            type: "application/xml", status: status)
    }

    /// Answers the requests for one object one after the other; the last answer is repeated.
    private func script(_ answers: [FaultBehaviour]) -> FaultBehaviour {
        let count = Locked(0)
        return .dynamic { _ in
            answers[
                count.withLock { count in
                    defer { count += 1 }
                    return min(count, answers.count - 1)
                }]
        }
    }

    /// The certificate of a store is renewed together with the file of authorities.
    @Test(.enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"))
    func renewedAuthorityOfAStoreIsTrusted() async throws {
        let nginx = try NginxServer()
        defer { nginx.stop() }
        let bucket = nginx.root.appendingPathComponent("pictures")
        try FileManager.default.createDirectory(at: bucket, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: bucket.appendingPathComponent("a"))
        var configuration = try S3Configuration(
            bucket: "pictures", endpoint: "https://localhost:\(nginx.httpsPort)", style: .path)
        configuration.credentials = .fixed(S3Credentials(keyID: "key", secret: "secret"))
        configuration.certificateAuthorityFile = nginx.certificateFile.path
        let client = S3Client(configuration, environment: [:])
        defer { client.shutDown() }
        for round in 0..<3 {
            if round > 0 { try nginx.renewCertificate() }
            #expect(try await client.get("a", within: budget).get().data == Data("x".utf8))
        }
    }

    @Test func slowDownIsTriedAgainWithinTheBudget() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let client = try client(server)
        defer { client.shutDown() }
        server.route("/pictures/a", script([refusal(503, "SlowDown"), .body(Data("x".utf8))]))
        #expect(try await client.get("a", within: budget).get().data == Data("x".utf8))
        #expect(server.requestCount("/pictures/a") == 2)

        server.route("/pictures/b", script([refusal(503, "SlowDown")]))
        #expect(await client.get("b", within: budget).failure == .busy(status: 503, code: "SlowDown"))
        #expect(server.requestCount("/pictures/b") == 2)
        server.route(
            "/pictures/c",
            script([refusal(500, "InternalError"), refusal(400, "RequestTimeout"), .close, .status(200)]))
        _ = try await client.put(Data("x".utf8), at: "c", within: budget).get()
        #expect(server.requestCount("/pictures/c") == 4)
    }

    /// An object that is replaced while it is read is read again, and never has parts of two versions.
    @Test func partsOfTwoVersionsAreNeverJoined() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let client = try client(server) { $0.partBytes = 4 }
        defer { client.shutDown() }
        // The store replaces the object after so many requests, and ignores If-Match.
        func route(_ name: String, replacingAfter count: Int, always: Bool = false) {
            let number = Locked(0)
            server.route(
                "/pictures/\(name)",
                .dynamic { request in
                    let served = number.withLock { number in
                        defer { number += 1 }
                        return number
                    }
                    let version = always ? served : served < count ? 0 : 1
                    let body = Array(String(repeating: "\(version % 10)", count: 10).utf8)
                    let numbers = (request.headers["range"] ?? "").split { !$0.isNumber }.compactMap { Int($0) }
                    guard numbers.count == 2 else { return .status(400) }
                    let part = body[min(numbers[0], 10)..<min(numbers[1] + 1, 10)]
                    return .respond(
                        FaultResponse(
                            .data(Data(part)), status: 206,
                            headers: [
                                "ETag": "\"\(version)\"",
                                "Content-Range": "bytes \(numbers[0])-\(numbers[0] + part.count - 1)/10",
                            ]))
                })
        }
        route("a", replacingAfter: 1)
        let found = try await client.whole("a", within: budget).get()
        #expect(found.data == Data("1111111111".utf8) && found.tag == "\"1\"")
        route("b", replacingAfter: 0, always: true)
        #expect(await client.whole("b", within: budget).failure == .changing)
        route("c", replacingAfter: 100)
        #expect(try await client.whole("c", within: budget).get().data == Data("0000000000".utf8))
        #expect(server.requestCount("/pictures/c") == 3)
        // Only the first part of an object that is too long is read.
        #expect(await client.whole("c", most: 9, within: budget).failure == .tooLarge)
        #expect(server.requestCount("/pictures/c") == 4)
    }

    @Test func refusedRequestsAreNotTriedAgain() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let client = try client(server)
        defer { client.shutDown() }
        server.route("/pictures/a", refusal(403, "AccessDenied"))
        #expect(await client.get("a", within: budget).failure == .forbidden(code: "AccessDenied"))
        server.route("/pictures/b", refusal(501, "NotImplemented"))
        #expect(
            await client.put(Data(), at: "b", if: .isAbsent, within: budget).failure
                == .refused(status: 501, code: "NotImplemented"))
        server.route(
            "/pictures/c",
            .respond(
                FaultResponse(
                    .data(Data()), status: 301,
                    headers: ["x-amz-bucket-region": "eu-central-1", "Location": "http://127.0.0.1:1/"])))
        #expect(await client.get("c", within: budget).failure == .otherRegion("eu-central-1"))
        #expect(server.requests.count == 3)
    }

    @Test func silentStoreCostsTheBudgetAndNoMore() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let client = try client(server)
        defer { client.shutDown() }
        server.route("/pictures/a", .hang)
        let start = ContinuousClock.now
        #expect(await client.get("a", within: .milliseconds(100)).failure == .late)
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(95) && time < Sanitizer.time(.seconds(3)))
        // The budget may have ended before the first request was sent.
        let before = server.requestCount("/pictures/a")
        let task = Task { await client.get("a", within: .seconds(60)).failure }
        try await eventually("the request arrives") { server.requestCount("/pictures/a") > before }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func storeThatIgnoresConditionsIsFoundOut() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let client = try client(server)
        defer { client.shutDown() }
        let tagged = FaultBehaviour.body(Data(), headers: ["ETag": "\"1\""])
        server.routeOthers(tagged)
        let conditions = try await client.testConditions(prefix: "wi1/", within: budget).get()
        #expect(!conditions.enforcesAbsence && !conditions.enforcesMatch)
        // A store that refuses every condition cannot compare either.
        server.routeOthers(
            .dynamic { request in
                request.headers["if-match"] != nil || request.headers["if-none-match"] != nil ? .status(412) : tagged
            })
        let refusing = try await client.testConditions(prefix: "wi1/", within: budget).get()
        #expect(refusing.enforcesAbsence && !refusing.enforcesMatch)
    }

    @Test func temporaryCredentialsAreRenewedOnceAndSharedByConcurrentRequests() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let calls = Locked(0)
        let client = try client(server) {
            $0.credentials = .provider {
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                return S3Credentials(keyID: "key\(number)", secret: "s", sessionToken: "token\(number)")
            }
        }
        defer { client.shutDown() }
        server.routeOthers(
            .dynamic { request in
                request.headers["x-amz-security-token"] == "token2"
                    ? .body(Data("x".utf8)) : refusal(400, "ExpiredToken")
            })
        #expect(try await client.get("a", within: budget).get().data == Data("x".utf8))
        #expect(calls.withLock { $0 } == 2)
        let signed = try #require(server.requests.last?.headers["authorization"])
        #expect(signed.contains("Credential=key2/") && signed.contains("x-amz-security-token"))
        // A key that is refused again ends the request.
        server.routeOthers(refusal(400, "ExpiredToken"))
        #expect(await client.get("a", within: budget).failure?.status == 400)
        #expect(calls.withLock { $0 } == 3)
    }

    @Test func clockSkewIsLearnedFromTheStore() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        // The store's clock is two hours behind 2030.
        let client = try client(server, clock: FixedDateClock(date: 1_893_456_000))
        defer { client.shutDown() }
        server.route(
            "/pictures/a",
            script([
                .body(
                    Data("<Error><Code>RequestTimeTooSkewed</Code></Error>".utf8), status: 403,
                    headers: ["Date": "Mon, 31 Dec 2029 22:00:00 GMT"]), .body(Data("x".utf8)),
            ]))
        #expect(try await client.get("a", within: budget).get().data == Data("x".utf8))
        #expect(server.requests.last?.headers["x-amz-date"] == "20291231T220000Z")
    }

    @Test func credentialsComeFromTheEnvironmentOrTheSharedFile() async throws {
        let scratch = try ScratchFolder()
        let file = scratch.url.appendingPathComponent("credentials")
        try Data(
            """
            # comment
            [default]
            aws_access_key_id = one
            aws_secret_access_key=two=
            [ other ]
            aws_access_key_id = three
            aws_secret_access_key = four
            aws_session_token = five
            """.utf8
        ).write(to: file)
        let path = ["AWS_SHARED_CREDENTIALS_FILE": file.path]
        func read(_ environment: [String: String]) async throws -> S3Credentials? {
            try await S3CredentialCache(.system, clock: SystemClock(), environment: environment).credentials()
        }
        #expect(try await read(path) == S3Credentials(keyID: "one", secret: "two="))
        #expect(
            try await read(path.merging(["AWS_PROFILE": "other"]) { $1 })
                == S3Credentials(keyID: "three", secret: "four", sessionToken: "five"))
        #expect(
            try await read(
                path.merging(["AWS_ACCESS_KEY_ID": "six", "AWS_SECRET_ACCESS_KEY": "seven", "AWS_SESSION_TOKEN": ""]) {
                    $1
                })
                == S3Credentials(keyID: "six", secret: "seven"))
        await #expect(throws: WebImageError.self) { try await read(path.merging(["AWS_PROFILE": "none"]) { $1 }) }
        await #expect(throws: WebImageError.self) { try await read(["AWS_SHARED_CREDENTIALS_FILE": "/nothing"]) }
    }

    /// Every part of a version is a part of this version.
    @Test func versionOfAnObjectIsReadInParts() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let client = try client(server) { $0.partBytes = 10 }
        defer { client.shutDown() }
        let data = Data("0123456789abcdefghijklmno".utf8)
        server.route(
            "/pictures/a",
            .dynamic { request in
                guard request.query == "versionId=v%2F1", let range = request.headers["range"] else {
                    return .status(404)
                }
                let ends = range.dropFirst(6).split(separator: "-").compactMap { Int($0) }
                let end = min(ends[1], data.count - 1)
                return .body(
                    data[ends[0]...end], status: 206,
                    headers: ["Content-Range": "bytes \(ends[0])-\(end)/\(data.count)", "ETag": "\"t\""])
            })
        let read = await client.whole("a", version: "v/1", within: budget)
        #expect(try read.get().data == data && server.requestCount("/pictures/a") == 3)
        #expect(await client.whole("a", within: budget).failure == .missing)
    }

    @Test(arguments: [
        ("s3://bucket/a?versionId=1", "1"), ("s3://bucket/a", nil), ("s3://bucket/a?versionId=%2B%2f", "+/"),
        ("s3://bucket/a%3FversionId=1", nil),
    ])
    func namesOfObjectsHaveAVersion(row: (text: String, version: String?)) throws {
        let name = try #require(S3ObjectName(row.text))
        #expect(name.version == row.version)
        #expect(S3ObjectName(name.text) == name)
    }

    @Test(arguments: [
        "?", "?versionId", "?versionId=", "?versionid=1", "?versionId=1&x=2", "?x=1", "?versionId=a%20b",
        "?versionId=%0A",
        "?versionId=1#a", "?versionId=" + String(repeating: "a", count: 1025),
    ])
    func namesWithOtherParametersAreNoObjects(query: String) {
        #expect(S3ObjectName("s3://bucket/a" + query) == nil)
    }

    @Test func addressesAreReadAndCheckedWithoutAStore() throws {
        let plain = try S3Configuration(url: "s3://my-bucket/a/b/", environment: [:])
        #expect(plain.url(key: "k", query: [])?.absoluteString == "https://my-bucket.s3.us-east-1.amazonaws.com/k")
        #expect(plain.prefix == "a/b")
        let own = try S3Configuration(
            url: "s3://bucket?endpoint=http://127.0.0.1:9000/&region=eu-1&ca=/ca.pem", environment: [:])
        #expect(own.url(key: "a b/ü", query: [])?.absoluteString == "http://127.0.0.1:9000/bucket/a%20b/%C3%BC")
        #expect(own.region == "eu-1" && own.certificateAuthorityFile == "/ca.pem" && own.style == .path)
        #expect(
            own.url(key: nil, query: [("prefix", "a/+"), ("list-type", "2")])?.absoluteString
                == "http://127.0.0.1:9000/bucket?list-type=2&prefix=a%2F%2B")
        let inherited = try S3Configuration(
            url: "s3://bucket", environment: ["AWS_REGION": "eu-2", "AWS_ENDPOINT_URL": "https://store.example"])
        #expect(inherited.region == "eu-2" && inherited.endpoint == "https://store.example")
        let host = try S3Configuration(url: "s3://bucket?endpoint=https://store.example&style=host", environment: [:])
        #expect(host.url(key: "k")?.absoluteString == "https://bucket.store.example/k")
        for wrong in [
            "s3://ab", "s3://Bucket", "s3://-bucket", "s3://bu..cket", "s3://user:word@bucket", "s3://bucket:80",
            "https://bucket", "s3:", "", "s3://bucket?style=x", "s3://bucket?region=a&region=b", "s3://bucket?x=1",
            "s3://bucket?endpoint=ftp://a", "s3://bucket?endpoint=http://u:p@a", "s3://bucket/a/../b",
            "s3://bucket?endpoint=http://127.0.0.1&style=host", "s3://bucket?region=A%0AB",
        ] {
            #expect(throws: WebImageError.self, "\(wrong)") { try S3Configuration(url: wrong, environment: [:]) }
        }
    }

    @Test func listsAreReadAndOtherDocumentsRefused() throws {
        let page = try #require(
            S3Page(
                Data(
                    """
                    <?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>\
                    <Contents><Key>a%2Bb+c</Key><LastModified>1970-01-02T00:00:01.5Z</LastModified><Size>7</Size></Contents>\
                    <Contents><Key>&lt;&#65;&#x42;&amp;</Key><LastModified>?</LastModified></Contents>\
                    <NextContinuationToken>t&quot;</NextContinuationToken></ListBucketResult>
                    """.utf8)))
        #expect(page.entries.map(\.key) == ["a+b c", "<AB&"])
        #expect(page.entries[0].size == 7 && page.entries[0].stored == 86_401 && page.entries[1].stored == nil)
        #expect(page.next == "t\"")
        for text in [
            "", "<html></html>", "<ListBucketResult><Contents></Contents>",
            "<ListBucketResult><Contents><Key>%ZZ</Key></Contents></ListBucketResult>",
            "<ListBucketResult><Contents><Key>a</Key></Contents>", "<ListBucketResult></Contents></ListBucketResult>",
        ] {
            #expect(S3Page(Data(text.utf8)) == nil)
        }
        // What other stores send: a prefix, sections, comments, empty lists, other elements around the same names.
        let other = try #require(
            S3Page(
                Data(
                    """
                    <s3:ListBucketResult xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"><s3:Prefix/><!-- <Key>no</Key> -->\
                    <s3:Contents><s3:Key><![CDATA[a<b]]></s3:Key><s3:Owner><s3:Key>o</s3:Key></s3:Owner><s3:Size>2</s3:Size>\
                    </s3:Contents><s3:CommonPrefixes><s3:Prefix>p/</s3:Prefix></s3:CommonPrefixes></s3:ListBucketResult>
                    """.utf8)))
        #expect(other.entries == [S3Page.Entry(key: "a<b", size: 2, stored: nil)] && other.next == nil)
        #expect(S3Page(Data("<ListBucketResult/>".utf8))?.entries == [])
        #expect(S3Document.first("Code", in: Data("<Error><Code>a&amp;b</Code><Cod".utf8)) == "a&b")
        #expect(S3Document.first("Code", in: Data("<Code>&#x110000;&x;&</Code>".utf8)) == nil)
        // Every truncation of a list, and bytes that are no text.
        let bytes = Data("<ListBucketResult><Contents><Key>k</Key><Size>1</Size></Contents>&#1".utf8)
        for count in 0...bytes.count { _ = S3Page(bytes.prefix(count) + Data([0xFF, 0xC3])) }
    }
}

private struct FixedDateClock: DelayClock {
    var date: TimeInterval
    var now: Duration { SystemClock().now }
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
        SystemClock().schedule(after: delay, work)
    }
}
