import Foundation
import Testing

@testable import WebImageCore

/// A list asks a coder that declares its signatures only for files with one of them.
struct FileSignatureTests {
    /// A coder that counts the questions, and accepts what it is asked for.
    private final class Asked: ImageCoder, ProgressiveImageCoder {
        let signatures: [FileSignature]?
        let count = Locked(0)
        init(_ signatures: [FileSignature]?) { self.signatures = signatures }
        init(incremental options: DecodingOptions) { signatures = nil }
        func canDecode(from data: Data) -> Bool {
            count.withLock { $0 += 1 }
            return true
        }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            throw .badData("fake", "no image")
        }
        func update(_ data: Data, finished: Bool) {}
        func incrementalImage(options: DecodingOptions?) -> Image? { nil }
    }

    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])

    @Test func coderIsAskedOnlyForItsSignatures() {
        let coders = [
            Asked([.format(.jpeg)]), Asked([.start([0x1F, 0x8B])]), Asked([.format(.png)]),
            Asked([.format(.gif), .start([])]),
        ]
        let manager = ImageCodersManager(coders: coders.dropLast())
        #expect(manager.decoder(for: Self.png)?.registered as? Asked === coders[2])
        #expect(manager.canDecode(from: Self.png) && manager.readers(of: Self.png).count == 1)
        #expect(manager.progressiveCoder(for: Self.png) as? Asked === coders[2])
        #expect(coders.map { $0.count.withLock { $0 } } == [0, 0, 4, 0])
        #expect(manager.decoder(for: Data([0x1F, 0x8B, 8]))?.registered as? Asked === coders[1])
        #expect(manager.decoder(for: Data([0x1F])) == nil && manager.decoder(for: Data()) == nil)
        // One signature is enough.
        manager.addCoder(coders[3])
        #expect(manager.decoder(for: Self.png)?.registered as? Asked === coders[3])
    }

    @Test func coderWithoutSignaturesIsAskedForEveryFile() {
        let (declaring, plain) = (Asked([.format(.png)]), Asked(nil))
        let manager = ImageCodersManager(coders: [declaring, plain])
        #expect(manager.decoder(for: Self.png)?.registered as? Asked === plain)
        #expect(manager.decoder(for: Data([1, 2, 3]))?.registered as? Asked === plain)
        #expect(plain.count.withLock { $0 } == 2 && declaring.count.withLock { $0 } == 0)
    }

    @Test func animationHasTheSignatureOfItsContainer() {
        var file = SniffedFile(Self.png.prefix(8) + [0, 0, 0, 8] + Data("acTL".utf8) + Data(count: 12))
        #expect(ImageFormat(sniffing: file.data) == .apng)
        #expect(FileSignature.format(.png).matches(&file) && FileSignature.format(.apng).matches(&file))
        #expect(!FileSignature.format(.gif).matches(&file) && !FileSignature.start([0x88]).matches(&file))
    }
}
