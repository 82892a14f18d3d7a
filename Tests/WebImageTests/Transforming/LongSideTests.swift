import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGraphics

/// Long sides of few pixels. The weights of the scaling filter need memory and time for each row and column, and their
/// computation cannot be interrupted, so it is refused before anything is allocated.
@Suite(.serialized, .timeLimit(minutes: 2)) struct LongSideTests {
    private static let long = 3_000_000

    private func isLimit(_ error: WebImageError?) -> Bool {
        guard error?.code == .limitExceeded, case .limit(.decodeBytes, let actual, let allowed)? = error?.underlying
        else {
            return false
        }
        return actual > allowed && error?.hint?.contains("too long") == true
    }

    /// Runs a body that must be refused, and checks that it has neither taken time nor memory.
    private func expectNoWork(_ body: () throws -> Void) rethrows {
        let canMeasure = ProcessMemory.isMeasurable && ProcessMemory.resetPeak()
        let before = ProcessMemory.peakBytes ?? 0
        let time = try ContinuousClock().measure { try body() }
        #expect(time < Sanitizer.time(.seconds(1)))
        if canMeasure, let peak = ProcessMemory.peakBytes { #expect(peak - before < 32 << 20, "\(peak - before)") }
    }

    @Test(arguments: [PixelFormat.gray8, .rgba8, .bgra8Premultiplied, .rgba16], [false, true])
    func longResultIsRefusedBeforeAnythingIsAllocated(format: PixelFormat, isWide: Bool) throws {
        for isOpaque in [false, true] {
            let source = try PixelBuffer(width: 2, height: 2, format: format)
            let size = PixelSize(width: isWide ? Self.long : 1, height: isWide ? 1 : Self.long)
            expectNoWork {
                let error = #expect(throws: WebImageError.self) { try source.scaled(to: size, isOpaque: isOpaque) }
                #expect(isLimit(error), "\(String(describing: error))")
            }
        }
    }

    @Test(arguments: [false, true]) func longSourceIsRefused(isWide: Bool) throws {
        let source = try PixelBuffer(
            width: isWide ? Self.long : 1, height: isWide ? 1 : Self.long, format: .bgra8Premultiplied)
        // Fewer rows than columns in the result, so that each of the two steps is the first one.
        for short in [Self.long - 1, Self.long / 2, Self.long / 100] {
            let size = PixelSize(width: isWide ? short : 1, height: isWide ? 1 : short)
            expectNoWork {
                let error = #expect(throws: WebImageError.self) { try source.scaled(to: size) }
                #expect(isLimit(error), "\(String(describing: error))")
            }
        }
    }

    /// What every coder accepts by default can also be scaled, within the limit of the memory of one decode.
    @Test(arguments: [false, true]) func longestSidesOfFilesAreScaled(isWide: Bool) throws {
        let side = DecodingLimits.default.maxSide
        func size(_ length: Int) -> PixelSize { PixelSize(width: isWide ? length : 2, height: isWide ? 2 : length) }
        let source = try PixelBuffer(width: size(side).width, height: size(side).height, format: .bgra8Premultiplied)
        for length in [side - 1, side / 2, 100, 1] {
            let result = try source.scaled(to: size(length))
            #expect(result.size == size(length))
        }
        let small = try PixelBuffer(width: 2, height: 2, format: .bgra8Premultiplied)
        #expect(try small.scaled(to: size(side)).size == size(side))
        // Both sides at once.
        _ = try ScalingCall(source: .rgbaHalf, target: .rgbaHalf, isOpaque: false).shape(
            from: PixelSize(width: side, height: side), PixelRegion(PixelSize(width: side, height: side)),
            to: PixelSize(width: side - 1, height: side - 1))
    }

    /// A budget of a service has less memory.
    @Test func weightsCountAgainstTheBudget() throws {
        let source = try PixelBuffer(width: 1, height: 1, format: .gray8)
        let budget = WorkBudget(time: nil, maxBytes: 1 << 20)
        let error = #expect(throws: WebImageError.self) {
            try budget.run { () throws(WebImageError) in try source.scaled(to: PixelSize(width: 1, height: 10_000)) }
        }
        #expect(isLimit(error))
        _ = try source.scaled(to: PixelSize(width: 1, height: 10_000))
    }

    /// The time for the weights grows with the square of the ratio.
    @Test func reductionToOnePixelIsQuick() throws {
        let side = 65_535
        for isWide in [false, true] {
            let source = try PixelBuffer(
                width: isWide ? side : 1, height: isWide ? 1 : side, format: .bgra8Premultiplied)
            source.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = 200 } }
            let units = ProcessorTime.units { _ = try? source.scaled(to: PixelSize(width: 1, height: 1)) }
            let wide = ProcessorTime.units {
                _ = try? source.scaled(to: PixelSize(width: isWide ? 64 : 1, height: isWide ? 1 : 64))
            }
            #expect(units < 4 * wide, "\(units) \(wide)")
            let pixel = try source.scaled(to: PixelSize(width: 1, height: 1))
            pixel.withUnsafeMutableBytes { bytes in #expect(bytes.prefix(4).allSatisfy { (198...202).contains($0) }) }
        }
    }

    // MARK: Public ways

    @Test(arguments: [ImageScaleMode.fill, .aspectFill]) func transformersRefuseLongSides(mode: ImageScaleMode) throws {
        let image = try TestImages.solid(width: 1, height: 1)
        for size in [CGSize(width: 1, height: Self.long), CGSize(width: Self.long, height: 1)] {
            let resizing = ImageResizingTransformer(size: size, scaleMode: mode)
            let flipping = ImageFlippingTransformer(horizontal: true, vertical: false)
            let both = ImagePipelineTransformer(transformers: [resizing, flipping])
            expectNoWork {
                #expect(image.resizedImage(with: size, scaleMode: mode) == nil)
                #expect(resizing.transformedImage(with: image, forKey: "") == nil)
                #expect(both.transformedImage(with: image, forKey: "") == nil)
            }
        }
    }

    /// A thumbnail of a file that only a program with higher limits opens.
    @Test func thumbnailOfALongFileIsRefused() throws {
        let limits = DecodingLimits(maxSide: .max)
        let (coder, side) = (ImageCodersManager.shared, 900_000)
        for isWide in [false, true] {
            let pixels = try PixelBuffer(width: isWide ? side : 1, height: isWide ? 1 : side, format: .rgba8)
            let data = try coder.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
            var options = DecodingOptions()
            options.limits = limits
            options.thumbnailPixelSize = PixelSize(width: side - 100_000, height: side - 100_000)
            options.preserveAspectRatio = true
            let error = #expect(throws: WebImageError.self) { try coder.decode(data, options: options) }
            #expect(isLimit(error), "\(String(describing: error))")
            options.limits = .default
            let refusal = #expect(throws: WebImageError.self) { try coder.decode(data, options: options) }
            #expect(refusal?.underlying == .limit(.side, actual: side, allowed: 65_535))
        }
    }

    /// The frames of an animation are scaled to the size of the first one.
    @Test func animationWithOneLongFrameIsRefused() throws {
        let sizes = [PixelSize(width: 1, height: 400_000), PixelSize(width: 1, height: 2)]
        let frames = try sizes.map { size in
            ImageFrame(
                image: Image(pixels: try PixelBuffer(width: size.width, height: size.height, format: .rgba8)),
                duration: 1)
        }
        let error = #expect(throws: WebImageError.self) {
            try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .png, options: EncodingOptions())
        }
        #expect(isLimit(error), "\(String(describing: error))")
    }
}
