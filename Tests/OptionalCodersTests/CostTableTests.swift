import Dispatch
import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageHEIF
import WebImageJXL
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGraphics

/// The cost of effects, transformers, coders and encoders. `Scripts/measure costs` prints the whole table at the largest
/// sizes; the tests run a small part.
@Suite(.timeLimit(minutes: 30))
struct CostTableTests {
    /// A step and its work on a noisy picture.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// Returns the work. What it needs, such as an encoded file, is made before.
        let prepared: @Sendable (Image) throws(WebImageError) -> @Sendable () throws(WebImageError) -> Void
        var testDescription: String { name }

        init(
            name: String,
            preparing: @escaping @Sendable (Image) throws(WebImageError) -> @Sendable () throws(WebImageError) -> Void
        ) {
            self.name = name
            prepared = preparing
        }

        /// A row whose work needs nothing but the picture.
        static func plain(_ name: String, _ work: @escaping @Sendable (Image) throws(WebImageError) -> Void) -> Row {
            Row(name: name, preparing: { image in { () throws(WebImageError) in try work(image) } })
        }
    }

    private struct Cost {
        var seconds: Double
        var peakBytes: Int
        var cancelSeconds: Double
    }

    private static func effect(_ name: String, _ make: @escaping @Sendable (Image) -> Image?) -> Row {
        .plain(name) { image throws(WebImageError) in
            if make(image) == nil { try WorkBudget.current?.check() }
        }
    }

    private static func encoder(_ format: ImageFormat, _ coder: any ImageCoder, _ change: String = "") -> Row {
        .plain("encode \(format.name ?? "?")\(change)") { image throws(WebImageError) in
            var options = EncodingOptions()
            options.quality = 0.8
            options.progressive = change.contains("progressive")
            options.lossless = change.contains("lossless")
            _ = try coder.encode(image, format: format, options: options)
        }
    }

    static let effects: [Row] =
        [0.3, 0.6, 1, 1.9, 2, 2.4, 2.5, 5, 20, 50, 100].map { deviation in
            effect("blur \(deviation)") { $0.blurredImage(deviation: deviation) }
        } + [
            effect("sharpen 5") { $0.sharpenedImage(deviation: 5, amount: 1.5) },
            effect("pixellate 9") { NeighbourFilter.pixellate(points: 9).filteredImage(with: $0) },
            effect("grey") { ColorFilter.saturation(0).filteredImage(with: $0) },
            effect("sepia") { ColorFilter.sepia().filteredImage(with: $0) },
            effect("vignette") { NeighbourFilter.vignette().filteredImage(with: $0) },
            effect("convolution 3×3") { NeighbourFilter.sharpen().filteredImage(with: $0) },
            effect("rotate 45°") { $0.rotatedImage(withAngle: .pi / 4, fitSize: true) },
            effect("round corners") {
                $0.roundedCornerImage(withRadius: 99, corners: .allCorners, borderWidth: 0, borderColor: nil)
            },
            effect("resize to half") {
                $0.resizedImage(
                    with: CGSize(width: $0.pixelSize.width / 2, height: $0.pixelSize.height / 2), scaleMode: .fill)
            },
        ]

    static let encoders: [Row] =
        [
            encoder(.jpeg, ImageJPEGCoder.shared), encoder(.jpeg, ImageJPEGCoder.shared, ", progressive"),
            encoder(.png, ImagePNGCoder.shared), encoder(.gif, ImageGIFCoder.shared),
            encoder(.webP, ImageWebPCoder.shared), encoder(.webP, ImageWebPCoder.shared, ", lossless"),
            encoder(.bmp, ImageBMPCoder.shared), encoder(.tiff, ImageTIFFCoder.shared),
            encoder(.avif, ImageAVIFCoder.shared), encoder(.jpegXL, ImageJPEGXLCoder.shared),
        ] + (ImageHEICCoder.shared.canEncode(to: .heic) ? [encoder(.heic, ImageHEICCoder.shared)] : [])

    private static func decoder(_ format: ImageFormat, _ coder: any ImageCoder, _ change: String = "") -> Row {
        let make: @Sendable (Image) throws(WebImageError) -> @Sendable () throws(WebImageError) -> Void = {
            image throws(WebImageError) in
            var options = EncodingOptions()
            options.quality = 0.8
            options.progressive = change.contains("progressive")
            options.lossless = change.contains("lossless")
            let data = try coder.encode(image, format: format, options: options)
            return { () throws(WebImageError) in
                var decoding = DecodingOptions()
                decoding.limits = .unlimited
                _ = try coder.decode(data, options: decoding)
            }
        }
        return Row(name: "decode \(format.name ?? "?")\(change)", preparing: make)
    }

    static let decoders: [Row] =
        [
            decoder(.jpeg, ImageJPEGCoder.shared), decoder(.jpeg, ImageJPEGCoder.shared, ", progressive"),
            decoder(.png, ImagePNGCoder.shared), decoder(.gif, ImageGIFCoder.shared),
            decoder(.webP, ImageWebPCoder.shared), decoder(.webP, ImageWebPCoder.shared, ", lossless"),
            decoder(.bmp, ImageBMPCoder.shared), decoder(.tiff, ImageTIFFCoder.shared),
            decoder(.avif, ImageAVIFCoder.shared), decoder(.jpegXL, ImageJPEGXLCoder.shared),
        ] + (ImageHEICCoder.shared.canEncode(to: .heic) ? [decoder(.heic, ImageHEICCoder.shared)] : [])

    private static func noise(_ width: Int, _ height: Int) throws -> Image {
        var random = SeededRandom(seed: 3)
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in
            for index in stride(from: 0, to: bytes.count - 7, by: 8) {
                bytes.storeBytes(of: random.next() | 0xFF00_0000_FF00_0000, toByteOffset: index, as: UInt64.self)
            }
        }
        return Image(pixels: pixels, hasAlpha: false)
    }

    /// Runs a row twice: to its end, and with a cancel after half of its time.
    private static func cost(of row: Row, _ image: Image) throws -> Cost {
        let work = try row.prepared(image)
        func run(_ budget: WorkBudget) -> Result<Void, WebImageError> {
            Result { () throws(WebImageError) in try budget.run { () throws(WebImageError) in try work() } }
        }
        _ = ProcessMemory.resetPeak()
        let before = ProcessMemory.anonymousBytes ?? 0
        let start = ProcessorTime.seconds
        try run(WorkBudget(time: nil)).get()
        let seconds = ProcessorTime.seconds - start
        let peak = max((ProcessMemory.peakBytes ?? 0) - before, 0)
        let thread = ProcessorTime.Thread.current
        let budget = WorkBudget(time: nil)
        let second = ProcessorTime.seconds
        let cancelled = Locked(0.0)
        let isFinished = Locked(false)
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            // The second run can take less time than the first one.
            while thread.seconds < second + seconds / 2, !isFinished.withLock({ $0 }) { usleep(500) }
            cancelled.withLock { $0 = thread.seconds }
            budget.cancel()
            ended.signal()
        }
        _ = run(budget)
        let end = ProcessorTime.seconds
        isFinished.withLock { $0 = true }
        ended.wait()
        return Cost(seconds: seconds, peakBytes: peak, cancelSeconds: max(end - cancelled.withLock { $0 }, 0))
    }

    /// Each row ends by itself: no check follows it.
    @Test(arguments: effects + encoders + decoders)
    func stepEndsBeforeItsResultIfItIsCancelled(_ row: Row) throws {
        let work = try row.prepared(try Image.generated(width: 300, height: 200) { _, _ in (1, 2, 3, 255) })
        let budget = WorkBudget(time: nil)
        budget.cancel()
        let error = #expect(throws: WebImageError.self) {
            try budget.run { () throws(WebImageError) in try work() }
        }
        #expect(error?.isCancellation == true)
    }

    /// The steps that cannot be interrupted do not begin if they take longer than the rest of the budget.
    @Test(arguments: ["encode avif", "encode jxl", "encode heic", "decode avif", "decode jxl", "decode heic"])
    func stepThatCannotBeInterruptedStatesItsTime(_ name: String) throws {
        let image = try Image.generated(width: 300, height: 200) { _, _ in (1, 2, 3, 255) }
        // Without an encoder of libheif, there is no file to decode either.
        guard let row = (Self.encoders + Self.decoders).first(where: { $0.name == name }) else {
            #expect(name.hasSuffix("heic"))
            return
        }
        let work = try row.prepared(image)
        // The clock of this budget stands still, so only the stated time can exceed the budget.
        func run(_ time: Duration) throws {
            let budget = WorkBudget(time: time, now: { .zero })
            try budget.run { () throws(WebImageError) in try work() }
        }
        #expect(throws: Never.self) { try run(.seconds(1)) }
        let error = #expect(throws: WebImageError.self) { try run(.microseconds(50)) }
        #expect(error?.code == .limitExceeded && error?.hint?.contains("would take too long") == true)
    }

    /// Prints the table if `WEBIMAGE_COSTS` is the number of megapixels.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_COSTS"] != nil))
    func table() throws {
        let megapixels = Double(ProcessInfo.processInfo.environment["WEBIMAGE_COSTS"] ?? "") ?? 1
        let side = Int((megapixels * 1e6).squareRoot())
        let image = try Self.noise(side, side)
        let count = Double(side * side)
        for row in Self.effects + Self.encoders + Self.decoders {
            do {
                let cost = try Self.cost(of: row, image)
                let numbers = String(
                    format: "%.2f | %.0f | %.0f | %.3f", cost.seconds, cost.seconds * 1e9 / count,
                    Double(cost.peakBytes) / 1e6, cost.cancelSeconds)
                print("COST | \(row.name) | \(numbers) |")
            } catch {
                print("COST | \(row.name) | not available: \(error) | | | |")
            }
        }
    }
}
