import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Content codings as origins really send them, and answers that belong to no request.
@Suite(.timeLimit(minutes: 1)) struct ContentCodingTests {
    private static let text = Data(String(repeating: "content coding ", count: 20).utf8)

    private static func bytes(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

    private static let gzip = bytes("H4sIAAAAAAACA0vOzytJzStRSM5PycxLB1KjXJxcAFEJ+WIsAQAA")
    /// Two members (RFC 1952 §2.2).
    private static let members = bytes(
        "H4sIAAAAAAACA0vOzytJzStRSM5PycxLB1I04AIAo+QsZGQAAAAfiwgAAAAAAAIDS8nMS1dIzs8rSc0rAdIpQ5ULAGNkJ47IAAAA")
    private static let twice = bytes(
        "H4sIAAAAAAACA5Pv5mAAASZm73PntT3Pagd6nPM/ecabPWhxzJwYhkDOn0k6jAwMAH8s1BEnAAAA")
    private static let zlib = bytes("eJxLzs8rSc0rUUjOT8nMSwdSo1ycXAAF83Gt")
    private static let deflate = bytes("S87PK0nNK1FIzk/JzEsHUqNcnFwA")
    private static let brotli = bytes("GysB+I1Utb8eI3N7kyBnaVXIbiVABXbFXgA=")
    private static let zstd = bytes("KLUv/WQsALUAAHhjb250ZW50IGNvZGluZyABABqizjrktWlp")

    @Test func bodiesAreDecodedByTheCodingsThatTheFieldNames() async throws {
        let rows: [(field: String, body: Data)] = [
            ("gzip", Self.gzip), ("x-gzip", Self.gzip), ("GZip", Self.gzip), ("gzip", Self.members),
            ("gzip", Self.gzip + Data(repeating: 0, count: 8)), ("gzip, gzip", Self.twice), ("deflate", Self.zlib),
            ("deflate", Self.deflate), ("br", Self.brotli), ("zstd", Self.zstd), ("identity", Self.text),
            ("identity, gzip", Self.gzip), ("aws-chunked,gzip", Self.gzip), ("gzip, aws-chunked", Self.gzip),
            ("aws-chunked", Self.text), ("UTF-8", Self.text), ("undefined", Self.text), ("binary", Self.text),
            ("none", Self.text), ("", Self.text), (",", Self.text),
        ]
        try await withDownloader { server, downloader in
            for (number, row) in rows.enumerated() {
                for isPieces in [false, true] {
                    var response = FaultResponse(.data(row.body), headers: ["Content-Encoding": row.field])
                    if isPieces { (response.framing, response.piece) = (.chunked, 1) }
                    let path = "/\(number)-\(isPieces)"
                    server.route(path, .respond(response))
                    let result = try await downloader.fetch(server.url(path))
                    #expect(result.data == Self.text, "\(row.field) in \(isPieces ? "pieces" : "one piece")")
                }
            }
            let asked = server.requests.last?.headers["accept-encoding"] ?? ""
            #expect(asked == "deflate, gzip, br, zstd")
        }
    }

    @Test func failureSaysWhatTheServerHasSent() async throws {
        let damaged = Self.gzip.prefix(20) + Data(repeating: 0xFF, count: 20)
        let rows: [(field: String, body: Data)] = [
            ("gzip", Self.text), ("br", Self.text), ("zstd", Self.text), ("gzip", Data(damaged)),
            ("gzip", Data(Self.gzip.dropLast(12))), ("br", Data(Self.brotli.dropLast(4))),
            ("zstd", Data(Self.zstd.dropLast(6))), ("gzip, br", Self.gzip),
            (Array(repeating: "gzip", count: 6).joined(separator: ","), Self.gzip),
        ]
        try await withDownloader { server, downloader in
            for (number, row) in rows.enumerated() {
                server.route("/\(number)", .body(row.body, headers: ["Content-Encoding": row.field]))
                let failure = try await downloader.failure(server.url("/\(number)"))
                #expect(failure.code == .invalidDownloadResponse, "\(row.field)")
                #expect("\(failure)".contains("Content-Encoding: \(row.field)"), "\(failure)")
            }
        }
    }

    /// The server has sent the 408 to an idle connection. It is no answer to the request that is sent there next.
    @Test func unasked408IsRepeatedOnceOnAnotherConnection() async throws {
        try await withDownloader { server, downloader in
            server.route("/first", .body(Data("first".utf8)))
            let gone = Data("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            server.route(
                "/next", .dynamic { $0.connection == 1 ? .raw(gone) : .body(Data("next".utf8)) })
            let first = try await downloader.fetch(server.url("/first")).data
            let next = try await downloader.fetch(server.url("/next")).data
            #expect(first == Data("first".utf8) && next == Data("next".utf8))
            #expect(server.requestCount("/next") == 2)
            // A 408 on a new connection is the server's answer.
            server.route("/busy", .status(408))
            let failure = try await downloader.failure(server.url("/busy"))
            #expect(failure.underlying == .http(status: 408) && server.requestCount("/busy") <= 2)
        }
    }

    /// Only under the policy of a server, and only within one load.
    @Test func cookieOfARedirectIsSentToItsTarget() async throws {
        var config = WebImageDownloaderConfig()
        var policy = DownloadPolicy.server
        policy.allowedAddresses = [try #require(AddressRange("127.0.0.0/8"))]
        config.policy = policy
        try await withDownloader(config) { server, downloader in
            server.route(
                "/a.png",
                .dynamic { request in
                    guard request.headers["cookie"] == "seen=1" else {
                        return .respond(
                            FaultResponse(
                                .data(Data()), status: 302,
                                headers: ["Location": "/a.png", "Set-Cookie": "seen=1; Path=/"]))
                    }
                    return .body(Data("picture".utf8))
                })
            for count in 1...2 {
                let data = try await downloader.fetch(server.url("/a.png")).data
                #expect(data == Data("picture".utf8))
                #expect(server.requests.count { $0.headers["cookie"] == nil } == count)
            }
        }
    }
}
