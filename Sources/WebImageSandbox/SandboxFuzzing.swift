import CWebImageSandbox
package import Foundation
import WebImageCodecs
import WebImageCore
import WebImagePages

/// The entry point of the fuzzer, which plays a malicious worker: its bytes are the worker's messages.
package enum SandboxFuzzing {
    /// Processes one input of the fuzzer: messages, each after its count in two bytes. Traps if the host accepts a result
    /// that was not asked for.
    package static func read(_ data: Data) {
        _ = SandboxRequest(data)
        _ = SandboxAnswer(data)
        let formats = SandboxProfile.basic.types.flatMap { $0.formats }
        _ = ImageInfo(sandboxPayload: data, formats: formats)
        _ = ImageProperties(sandboxPayload: data, formats: formats)
        _ = SandboxStreamFacts(payload: data, formats: formats)
        _ = SandboxAnimationFacts(payload: data, .default)
        _ = PageContent(sandboxPayload: data)
        _ = SandboxPage(data)
        converse(data, pixels: true)
        converse(data, pixels: false)
    }

    /// The answers of an honest worker, as a start for the fuzzer.
    package static func seeds() throws -> [Data] {
        let pixels = try PixelBuffer(width: 8, height: 6, format: .bgra8Premultiplied)
        let info = ImageInfo(format: .gif, storedSize: PixelSize(width: 8, height: 6))
        let answers: [SandboxAnswer] = [
            .image(id: 1, SandboxPicture(Image(pixels: pixels, format: .gif))),
            .payload(id: 1, byteCount: info.sandboxPayload.count, info.sandboxPayload),
            .payload(id: 1, byteCount: 5 << 20, Data()), .failed(id: 1, SandboxFailure(.badData("a", "b"))),
            .nextPart(id: 1), .attempted(id: 1, errno: 0), .ready(SandboxProtections(hasFilter: true)),
        ]
        let messages = answers.map { framed($0.encoded()) }
        return messages + [messages[0] + messages[4], messages[2] + messages[4] + messages[4]]
    }

    static func framed(_ message: Data) -> Data {
        Data([UInt8(message.count & 255), UInt8(message.count >> 8)]) + message
    }

    private static func converse(_ data: Data, pixels: Bool) {
        var sockets: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &sockets) == 0 else { return }
        defer { close(sockets[1]) }
        var rest = data
        for _ in 0..<16 where rest.count > 2 {
            let count = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            let message = rest.dropFirst(2).prefix(count)
            rest = rest.dropFirst(2 + count)
            message.withUnsafeBytes { _ = send(sockets[1], $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        }
        shutdown(sockets[1], Int32(SHUT_WR))
        guard let process = SandboxProcess(playing: sockets[0]) else { return }
        let worker = SandboxWorker(process, .basic)
        var request = SandboxRequest(.decode)
        request.coder = ImageGIFCoder.workerCoder.index
        request.options.limits.maxPixels = 1 << 22
        request.options.limits.maxDecodeTime = .seconds(1)
        if pixels {
            guard let (image, _) = try? worker.image(request, .data(Data("GIF89a".utf8))) else { return }
            precondition(image.pixelSize.pixelCount <= 1 << 22 && image.pixels.format == request.options.pixelFormat)
        } else {
            request.command = .info
            guard let payload = try? worker.payload(request, .data(Data("GIF89a".utf8)), mostBytes: 6 << 20) else {
                return
            }
            precondition(payload.count <= 6 << 20)
        }
    }
}
