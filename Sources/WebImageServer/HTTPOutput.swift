import CWebImageHTTPShim
import Foundation
import WebImageService

/// The unsent part of an answer.
struct HTTPOutput {
    enum Outcome {
        case done, part, blocked
        /// The next bytes of the body have not arrived.
        case starved
        /// The client has left, or the rest of the body will not arrive.
        case failed
    }

    /// What is sent before the next bytes of the body: the head of the answer or of a chunk.
    private var head: [UInt8]
    private var sentOfHead = 0
    private let body: ServiceResponse.Body
    private var sentOfBody = 0
    private let isChunked: Bool
    let isPersistent: Bool
    /// The bytes of a body that arrives which are being sent, and their number that was sent.
    private var piece = Data()
    private var sentOfPiece = 0
    private var isLastChunk = false
    /// Whether the line end behind the last chunk was not appended yet.
    private var owesLineEnd = false
    private var arrivedCount: Int?

    /// The most bytes that one call hands to the system, so that a fast client does not delay the others.
    private static let part = 1 << 20

    init(head: [UInt8], body: ServiceResponse.Body, isChunked: Bool = false, isPersistent: Bool) {
        self.head = head
        self.body = body
        self.isChunked = isChunked
        self.isPersistent = isPersistent
    }

    /// Returns the number of bytes that have arrived for this answer since the last call; nil if there are none.
    mutating func takeArrivedCount() -> Int? { arrivedCount.take() }

    /// Sends what can be sent without waiting.
    ///
    /// - Parameter wake: Called on any thread after `.starved`, when the next bytes may have arrived.
    mutating func send(_ descriptor: Int32, wake: @escaping @Sendable () -> Void) -> Outcome {
        let size = min(body.count - sentOfBody, Self.part)
        let sent: Int
        switch body {
        case .arriving(let source): return send(descriptor, arriving: source, wake: wake)
        case .none: sent = sendBytes(descriptor, UnsafeRawBufferPointer(start: nil, count: 0), hasMore: false)
        case .bytes(let data):
            sent = data.withUnsafeBytes { bytes in
                sendBytes(
                    descriptor, UnsafeRawBufferPointer(rebasing: bytes[sentOfBody..<(sentOfBody + size)]),
                    hasMore: false)
            }
        case .file(let file, let range):
            if sentOfHead < head.count {
                sent = sendBytes(descriptor, UnsafeRawBufferPointer(start: nil, count: 0), hasMore: size > 0)
            } else {
                sent = webimage_http_send_file(
                    descriptor, file.descriptor, Int64(range.lowerBound + sentOfBody), size)
                // The file is shorter than the announced length.
                if sent == 0, size > 0 { return .failed }
            }
        }
        guard sent >= 0 else { return Self.failure }
        let ofHead = min(sent, head.count - sentOfHead)
        sentOfHead += ofHead
        sentOfBody += sent - ofHead
        return sentOfHead == head.count && sentOfBody == body.count ? .done : .part
    }

    private static var failure: Outcome { errno == EAGAIN ? .blocked : errno == EINTR ? .part : .failed }

    // MARK: A body that arrives

    private mutating func send(
        _ descriptor: Int32, arriving source: ArrivingBody, wake: @escaping @Sendable () -> Void
    ) -> Outcome {
        var isStarved = false
        if sentOfPiece == piece.count, !isLastChunk {
            switch source.next(whenArrived: wake) {
            case .bytes(let bytes): take(bytes)
            case .waiting:
                isStarved = true
                // Otherwise the client would not know until the next bytes that the chunk is complete.
                if owesLineEnd { append("\r\n") }
                owesLineEnd = false
            case .failed: return .failed
            case .ended:
                isLastChunk = true
                if isChunked { append((owesLineEnd ? "\r\n" : "") + "0\r\n\r\n") }
            }
        }
        guard sentOfHead < head.count || sentOfPiece < piece.count else { return isStarved ? .starved : .done }
        let sent = piece.withUnsafeBytes { bytes in
            let end = min(sentOfPiece + Self.part, bytes.count)
            return sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: bytes[sentOfPiece..<end]), hasMore: false)
        }
        guard sent >= 0 else { return Self.failure }
        let ofHead = min(sent, head.count - sentOfHead)
        sentOfHead += ofHead
        sentOfPiece += sent - ofHead
        guard sentOfHead == head.count, sentOfPiece == piece.count else { return .part }
        return isLastChunk ? .done : isStarved ? .starved : .part
    }

    private mutating func take(_ bytes: Data) {
        (piece, sentOfPiece) = (bytes, 0)
        arrivedCount = (arrivedCount ?? 0) + bytes.count
        if isChunked { append((owesLineEnd ? "\r\n" : "") + String(bytes.count, radix: 16) + "\r\n") }
        owesLineEnd = isChunked
    }

    private mutating func append(_ text: String) {
        head.removeFirst(sentOfHead)
        sentOfHead = 0
        head += text.utf8
    }

    private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, hasMore: Bool) -> Int {
        head.withUnsafeBytes { head in
            let rest = UnsafeRawBufferPointer(rebasing: head[sentOfHead...])
            return webimage_http_send(
                descriptor, rest.baseAddress, rest.count, bytes.baseAddress, bytes.count, hasMore)
        }
    }
}
