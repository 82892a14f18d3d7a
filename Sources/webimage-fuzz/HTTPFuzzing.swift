import Foundation
import WebImageCore
import WebImageHTTP
import WebImageService

@testable import WebImageServer

/// The entry point of the fuzzer. It sends the fuzzer's bytes to a server over a connection. It also parses the bytes
/// as addresses.
enum HTTPFuzzing {
    private static let path = NSTemporaryDirectory() + "webimage-fuzz-\(getpid()).sock"

    private static let server: HTTPServer? = try? HTTPServer(listening: [.local(path: path)]) { request in
        // The value of a field that the service receives must not contain a control character except a tab. A service
        // may copy a value into its response, and a line end in the value could then end the head of the response.
        precondition(request.headers.fields.allSatisfy { $0.value.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 } })
        return ServiceResponse(status: 200, headers: ["X-Target": request.target], body: .bytes(Data("body".utf8)))
    }

    /// Processes one input of the fuzzer. Traps if an invariant is violated.
    static func read(_ data: Data) {
        let text = String(decoding: data, as: UTF8.self)
        let trusted = [AddressRange("127.0.0.0/8"), AddressRange("::1/128")].compactMap { $0 }
        for peer in [nil, IPAddress("127.0.0.1"), IPAddress("192.0.2.1")] {
            let address = ForwardedClient.address(peer: peer, field: text, trusted: trusted)
            if peer?.description == "192.0.2.1" { precondition(address == peer) }
        }
        if let address = try? ListenAddress(text) { precondition((try? ListenAddress("\(address)")) == address) }
        data.withUnsafeBytes { parse($0) }
        converse(data)
    }

    /// Parses the bytes as a head, as a whole and byte by byte. Both ways must find the same head or the same error.
    private static func parse(_ bytes: UnsafeRawBufferPointer) {
        let limits = HeadLimits(head: 4_096, target: 1_024)
        func outcome(_ step: Int) -> Result<RequestHead?, HeadError> {
            Result { () throws(HeadError) in
                var scanner = HeadScanner()
                for end in stride(from: min(step, bytes.count), through: bytes.count, by: step) {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[..<end])
                    guard let size = try scanner.scan(part, limits) else { continue }
                    return try RequestHead(UnsafeRawBufferPointer(rebasing: bytes[..<size]), limits)
                }
                return nil
            }
        }
        let whole = outcome(max(bytes.count, 1))
        precondition(whole == outcome(1))
        if case .success(let head?) = whole {
            precondition(head.target.hasPrefix("/") && !head.target.utf8.contains { $0 <= 0x20 || $0 == 0x7F })
        }
    }

    /// The connections whose answers have not been read. The server keeps a connection with an incomplete head open
    /// until a timeout, so the fuzzer continues with the next input and reads the answer later.
    private static let open = Locked<[Int32]>([])
    private static let maxOpen = 256

    private static func converse(_ data: Data) {
        guard server != nil else { fatalError("the fuzzing server is not running") }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        precondition(descriptor >= 0)
        let result = sockaddr_un(path: path.utf8).withAddress { connect(descriptor, $0, $1) }
        precondition(result == 0)
        _ = data.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(descriptor, Int32(SHUT_WR))
        let oldest = open.withLock { open in
            open.append(descriptor)
            return open.count > maxOpen ? open.removeFirst() : nil
        }
        if let oldest { readAnswer(oldest) }
    }

    private static func readAnswer(_ descriptor: Int32) {
        defer { close(descriptor) }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 { answer += chunk[..<count] }
        precondition(answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)))
    }
}
