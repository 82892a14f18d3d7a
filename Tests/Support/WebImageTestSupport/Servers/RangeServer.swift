package import Foundation
import WebImageCore
package import WebImageTesting

/// What a server does with requests for ranges.
package enum RangeBehaviour: Sendable {
    /// It answers them as RFC 9110 says.
    case right
    /// It sends the whole file.
    case ignored
    /// It refuses each range.
    case refused
    /// It answers with the wrong `Content-Range`, or with the wrong bytes for it.
    case otherStart, tooLong, noField, otherTotal, fewerBytes, coded
    /// It sends half of each range.
    case halves
    /// It leaves out the time of modification where RFC 9110 §15.3.7 allows it: in the answer to `If-Range`.
    case undated
    /// From the second request on it has another file, and a strong `ETag` or a weak one.
    case changed(isStrong: Bool)
    /// The second request fails.
    case failing(Int)
    /// The second request is redirected.
    case redirected(to: String)
    /// It sends more than the first megabyte of an answer only when the gate is open.
    case gated(FaultGate)
    /// It does not say that it knows ranges.
    case silent
}

/// Serves a file by ranges with a ``FaultServer``, in a right or wrong way.
package final class RangeServer: Sendable {
    package let server: FaultServer
    package let url: URL
    private let sent = Locked(0)

    /// The bytes of all answers, without those behind a gate.
    package var sentBytes: Int { sent.withLock { $0 } }

    package init(
        _ file: Data, _ behaviour: RangeBehaviour = .right, name: String = "/film.mp4", type: String = "video/mp4",
        fields: [String: String] = [:]
    ) throws {
        server = try FaultServer()
        url = server.url(name)
        let (server, lastByte) = (server, file.count - 1)
        server.route(
            name,
            .dynamic { [weak server, sent] request in
                let number = server?.requestCount(name) ?? 0
                guard let field = request.headers["range"], !behaviour.isIgnored else {
                    return behaviour.answer(
                        file, type, headers: behaviour.wholeFields.merging(fields) { $1 }, sent: sent)
                }
                let ends = field.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                var (first, last) = (ends[0], min(ends.count > 1 ? ends[1] : lastByte, lastByte))
                if case .refused = behaviour { return .status(416) }
                if case .redirected(let location) = behaviour, number > 1 { return .redirect(to: location) }
                var total = "\(file.count)"
                var headers = ["ETag": "\"one\"", "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"]
                headers.merge(fields) { $1 }
                var bytes = file[first...last]
                switch behaviour {
                case .otherStart: (first, last) = (first + 1, last + 1)
                case .tooLong: last += 1
                case .fewerBytes: bytes = bytes.dropLast()
                case .noField: return .body(bytes, type: type, status: 206, headers: headers)
                case .otherTotal: if number > 1 { total = "\(file.count + 1)" }
                case .coded: headers["Content-Encoding"] = "aws-chunked"
                case .halves:
                    last = first + (last - first) / 2
                    bytes = file[first...last]
                case .undated: if request.headers["if-range"] != nil { headers["Last-Modified"] = nil }
                case .changed(let isStrong) where number > 1:
                    if isStrong, request.headers["if-range"] == "\"one\"" {
                        return .body(file, type: type, headers: ["ETag": "\"two\""])
                    }
                    headers["ETag"] = isStrong ? "\"two\"" : "W/\"two\""
                case .changed(let isStrong): if !isStrong { headers["ETag"] = "W/\"one\"" }
                case .failing(let status) where number > 1: return .status(status)
                default: break
                }
                headers["Content-Range"] = "bytes \(first)-\(last)/\(total)"
                return behaviour.answer(Data(bytes), type, status: 206, headers: headers, sent: sent)
            })
    }

    package var requestCount: Int { server.requests.count }

    package func stop() { server.stop() }
}

extension RangeBehaviour {
    fileprivate var isIgnored: Bool { if case .ignored = self { true } else { false } }

    /// The fields of an answer with the whole file.
    fileprivate var wholeFields: [String: String] {
        switch self {
        case .ignored, .refused, .silent: [:]
        default:
            ["ETag": "\"one\"", "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT", "Accept-Ranges": "bytes"]
        }
    }

    fileprivate func answer(
        _ bytes: Data, _ type: String, status: Int = 200, headers: [String: String], sent: Locked<Int>
    ) -> FaultBehaviour {
        let piece = 1 << 20
        guard case .gated(let gate) = self, bytes.count > piece else {
            sent.withLock { $0 += bytes.count }
            return .body(bytes, type: type, status: status, headers: headers)
        }
        sent.withLock { $0 += piece }
        var response = FaultResponse(
            .data(bytes), status: status, headers: headers.merging(["Content-Type": type]) { own, _ in own })
        (response.piece, response.pieceGates) = (piece, [1: gate])
        return .respond(response)
    }
}
