import Foundation
import Testing
import WebImageServer
import WebImageServerTesting
import WebImageService
import WebImageTesting

extension HTTPServerTests {
    /// Sends mutated heads to this server and to nginx. The server must not accept a head that nginx refuses, and both
    /// must see the same requests. Otherwise an attacker could hide a request from a proxy.
    ///
    /// nginx accepts heads that this server refuses: lines that end with a bare line feed, several spaces in the request
    /// line, HTTP/0.9, fields without a colon or with an invalid name. A refusal is safe, because it ends the connection.
    @Test func noHeadIsAcceptedThatNginxRefuses() async throws {
        guard FileManager.default.isExecutableFile(atPath: Nginx.path) else {
            print("nginx is not installed (package nginx-light): heads are not compared")
            return
        }
        let folder = try ScratchFolder()
        let nginx = try await Nginx(in: folder)
        defer { nginx.stop() }
        let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil
        let seed = SeededRandom.printingSeed().seed
        try await withServer(respond: { .text("\($0.method) \($0.target)\n") }) { server in
            try await onThread { [address = server.address] in
                var heads = HeadMutations(seed: seed)
                var counts = (accepted: 0, refused: 0, stricter: 0)
                for _ in 0..<(isLong ? 10_000 : 400) {
                    let head = heads.next()
                    // nginx refuses two lines of this list.
                    if head.lowercased().components(separatedBy: "if-none-match").count > 2 { continue }
                    let ours = try HeadAnswers(head, address), theirs = try HeadAnswers(head, nginx.address)
                    let shown = head.debugDescription.replacingOccurrences(of: "\\r\\n", with: "⏎")
                    // The requests that this server accepts are the first requests that nginx accepts.
                    #expect(theirs.accepted.starts(with: ours.accepted), "\(shown)\n\(ours)\n\(theirs)")
                    // If nginx sees further requests, this server has refused one of them and closed the connection, or
                    // it has closed the connection because the head asks for that. Of a close and a keep-alive nginx takes
                    // the last one (RFC 9112 §9.3: a close counts wherever it is).
                    if ours.accepted.count < theirs.accepted.count {
                        let isClosed = ours.saysClose && head.lowercased().contains("connection: close")
                        #expect(isClosed || ours.refusals.count == 1, "\(shown)\n\(ours)\n\(theirs)")
                        counts.stricter += 1
                    }
                    #expect(ours.refusals.count <= 1 && !ours.refusals.contains { $0 >= 500 && $0 != 505 }, "\(shown)")
                    counts.accepted += ours.accepted.count == 2 ? 1 : 0
                    counts.refused += ours.refusals.isEmpty ? 0 : 1
                }
                print("accepted \(counts.accepted), refused \(counts.refused), stricter than nginx \(counts.stricter)")
                #expect(counts.accepted > 20 && counts.refused > 100)
            }
        }
    }
}

/// The requests that a server sees in the bytes of a connection, and the statuses of its refusals.
private struct HeadAnswers: CustomStringConvertible {
    var accepted: [String] = []
    var refusals: [Int] = []
    let text: String

    /// The second request, which follows every mutated head. Its target differs from all targets of mutated heads.
    private static let following = "GET /following HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    init(_ head: String, _ address: ListenAddress) throws {
        let client = try RawClient(address)
        client.send(bytes: Array(head.unicodeScalars.map { UInt8($0.value) }) + Array(Self.following.utf8))
        client.leave(Int32(SHUT_WR))
        text = client.readToEnd()
        var rest = text[...]
        while let start = rest.range(of: "HTTP/1.1 ") {
            rest = rest[start.upperBound...]
            let status = Int(rest.prefix(3)) ?? 0
            guard status == 200 else {
                refusals.append(status)
                continue
            }
            // The body is one line with the method and the target. A response to HEAD has no body.
            let body = rest.range(of: "\r\n\r\n").map { rest[$0.upperBound...] } ?? ""
            let line = body.hasPrefix("HTTP/1.1 ") || body.isEmpty ? "HEAD" : String(body.prefix { $0 != "\n" })
            // nginx shows the empty path of an absolute target as it is (RFC 9112 §3.2.1: it is a slash).
            accepted.append(line.replacingOccurrences(of: " ?", with: " /?"))
        }
    }

    /// Whether an answer says that the connection ends with it.
    var saysClose: Bool { text.lowercased().contains("\r\nconnection: close\r\n") }

    var description: String { "\(accepted) \(refusals)" }
}

/// Makes heads from a valid head by a few random changes.
private struct HeadMutations {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let targets = [
        "/", "/a", "/a%2Fb?c=d", "/a/../b", "/../a", "/%2e%2e/a", "/%", "/%0", "/%00", "/a?%", "/a#b", "//a", "/a;b",
        "/a\\b", "http://a/b", "http://a", "http://a?b", "HTTP://A:80/x", "https://[::1]/", "http:///a", "a", "*", "",
        "/\u{E4}", "/a b", "/a\tb", "/a\u{0}b", "/a\u{7F}", "/a//../../b", "/\"<>^`{|}", "/./a", "/a/..", "http://a@b/",
    ]
    private static let fields = [
        "Host: b", "Host: ", "Host : a", "Host:a", "Host: a/b", "Host: a b", "Host: a\u{0}", "Host: [::1]",
        "Host: a..b",
        "Host: a:x", "host: A", "Host: a.", "Host: -", "Host: a%41", "Host: a:99999999", "Host: ]", "Host: [",
        "Host: a,b",
        "Content-Length: 0", "Content-Length: 5", "Content-Length: +0", "Content-Length: 0x0", "Content-Length: ",
        "Content-Length: 00", "Content-Length: 0 ", "Content-Length : 0", "Content-Length: 99999999999999999999",
        "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked",
        "transfer-encoding:\u{B}chunked", "X: 1", ": 1", "X", "X : 1", " X: 1", "\tX: 1", "X:\u{1}", "X: \u{FF}",
        "X\u{E4}: 1", "X@: 1", "X_Y: 1", "Connection: close", "Connection: keep-alive", "Connection: x",
        "Connection: closed, x", "Expect: 100-continue",
        "Expect: 100-continue\r\nExpect: 100-continue", "Upgrade: h2c", "If-None-Match: a", "Range: bytes=0-1",
        "Authorization: a", "User-Agent: a", "Referer: a", "TE: trailers", "Accept: */*", "",
    ]
    private static let ends = [
        "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\r\n", "\n", "\r", "\r\r\n", " \r\n", "\r\n ", "\0\r\n", "",
    ]
    private static let versions = [
        "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/1.01", "http/1.1",
        "HTTP/1", "HTTP/01.1", "", "HTTP/1.1 x", "HTTP/0.9", "HTTP/1.1\t",
    ]
    private static let methods = [
        "GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "DELETE", "get", "G-T", "G_T", "G\u{0}T", "CONNECT", "TRACE",
        "PRI",
        "", "G(T", "GETGETGETGETGETGETGETGETGETGETGETGET",
    ]

    mutating func next() -> String {
        var isOdd: Bool { Int.random(in: 0..<4, using: &random) == 0 }
        func pick(_ values: [String], unless usual: String) -> String {
            Int.random(in: 0..<10, using: &random) == 0 ? values.randomElement(using: &random) ?? usual : usual
        }
        let line = [
            pick(Self.methods, unless: "GET"), pick(Self.targets, unless: "/a"),
            pick(Self.versions, unless: "HTTP/1.1"),
        ]
        var head = pick(["\r\n", "\n", " ", "\r\n\r\n", "\r"], unless: "").isEmpty || !isOdd ? "" : "\r\n"
        head += line.joined(separator: pick(["  ", "\t", "\u{B}", ""], unless: " ")) + pick(Self.ends, unless: "\r\n")
        if Int.random(in: 0..<8, using: &random) > 0 { head += "Host: a" + pick(Self.ends, unless: "\r\n") }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            head += (Self.fields.randomElement(using: &random) ?? "") + pick(Self.ends, unless: "\r\n")
        }
        head += pick(Self.ends, unless: "\r\n")
        // Change single bytes as well, because the lists above hold only known cases.
        if Int.random(in: 0..<3, using: &random) == 0 {
            var scalars = Array(head.unicodeScalars)
            for _ in 0..<Int.random(in: 1...3, using: &random) where !scalars.isEmpty {
                let place = Int.random(in: 0..<scalars.count, using: &random)
                let byte = Unicode.Scalar(UInt8.random(in: 0...255, using: &random))
                switch Int.random(in: 0..<3, using: &random) {
                case 0: scalars[place] = byte
                case 1: scalars.insert(byte, at: place)
                default: scalars.remove(at: place)
                }
            }
            head = String(String.UnicodeScalarView(scalars))
        }
        return head
    }
}

/// An nginx that answers every request with its method and target.
private final class Nginx: Sendable {
    static let path = "/usr/sbin/nginx"
    private let identifier: Int32
    let address: ListenAddress

    init(in folder: ScratchFolder) async throws {
        let socket = folder.url.appendingPathComponent("nginx.sock").path
        let file = folder.url.appendingPathComponent("nginx.conf")
        try """
        daemon off;
        master_process off;
        pid nginx.pid;
        events { worker_connections 512; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            lingering_close off;
            server {
                listen unix:\(socket);
                location / { return 200 "$request_method $request_uri\\n"; }
            }
        }

        """.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["-p", folder.url.path, "-e", "error.log", "-c", file.path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        identifier = process.processIdentifier
        address = .local(path: socket)
        let address = address
        guard await eventually({ (try? RawClient(address)) != nil }) else {
            throw RawClient.Failure(description: "nginx did not start")
        }
    }

    func stop() { kill(identifier, SIGKILL) }
}
