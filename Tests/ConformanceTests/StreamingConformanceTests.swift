import Foundation
import Testing
import WebImage
import WebImageTestTraits

@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10))
struct StreamingConformanceTests {
    @Test("In pieces, every file gives the same pixels as at once, or the same refusal")
    func pieces() throws {
        var compared = 0
        var refused = 0
        for entry in Conformance.entries where ["jpeg", "png", "apng", "gif", "webp"].contains(entry.format ?? "") {
            let data = try Conformance.data(entry.path)
            let coder = try #require(
                ImageCodersManager.shared.coders.last { $0.canDecode(from: data) } as? any StreamingImageCoder
                    ?? (entry.verdict == "decode"
                        ? nil : ImageCodersManager.shared.coders[0] as? any StreamingImageCoder),
                "\(entry.path)")
            guard coder.canDecode(from: data) else { continue }
            let streaming = type(of: coder).init(incremental: DecodingOptions())
            let whole = Result { try ImageCodersManager.shared.decode(data, options: DecodingOptions()) }
            let pieces = Result { try stream(data, to: streaming, count: 7) }
            switch (whole, pieces) {
            case (.success(let whole), .success(let image)):
                let image = try #require(image, "\(entry.path)")
                #expect(!image.isIncremental, "\(entry.path)")
                #expect(image.pixels.isSame(as: whole.pixels), "\(entry.path)")
                #expect(image.hasAlpha == whole.hasAlpha, "\(entry.path)")
                #expect(streaming.incrementalInfo?.pixelSize == whole.pixelSize, "\(entry.path)")
                compared += 1
            case (.failure, .failure): refused += 1
            case (.success, .failure(let error)): Issue.record("\(entry.path) is refused only in pieces: \(error)")
            case (.failure(let error), .success): Issue.record("\(entry.path) is refused only as a whole: \(error)")
            }
        }
        print("streaming: \(compared) files the same in pieces, \(refused) refused both ways")
        #expect(compared > 300)
    }

    private func stream(_ data: Data, to coder: any StreamingImageCoder, count: Int) throws -> Image? {
        let step = max(1, data.count / count)
        for start in stride(from: 0, to: data.count, by: step) {
            let end = min(start + step, data.count)
            try coder.append(data.dropFirst(start).prefix(end - start), finished: end == data.count)
            _ = coder.incrementalImage(options: nil)
        }
        return coder.incrementalImage(options: nil)
    }
}

extension PixelBuffer {
    func isSame(as other: PixelBuffer) -> Bool {
        guard width == other.width, height == other.height, format == other.format else { return false }
        let count = width * format.bytesPerPixel
        return withUnsafeBytes { own in
            other.withUnsafeBytes { others in
                (0..<height).allSatisfy { row in
                    memcmp(own.baseAddress! + row * bytesPerRow, others.baseAddress! + row * other.bytesPerRow, count)
                        == 0
                }
            }
        }
    }
}
