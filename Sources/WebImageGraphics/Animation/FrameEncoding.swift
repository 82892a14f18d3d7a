package import Foundation
package import WebImageCore

/// Converts the frames of an animation to one size and layout, one at a time.
package struct FrameEncoding {
    /// A frame that is ready to be encoded.
    package struct Frame {
        package var pixels: PixelBuffer
        package var hasAlpha: Bool
        package var duration: TimeInterval
        package var profile: ColorProfile?
    }

    private let options: EncodingOptions
    private let keepsProfile: Bool
    private let frame: (Int) throws(WebImageError) -> ImageFrame
    private var size: PixelSize?
    private var format: PixelFormat?

    /// - Parameter keepsProfile: Whether the format stores a colour profile. If not, frames are converted to sRGB.
    package init(
        options: EncodingOptions, keepsProfile: Bool = true,
        frame: @escaping (Int) throws(WebImageError) -> ImageFrame
    ) {
        self.options = options
        self.keepsProfile = keepsProfile
        self.frame = frame
    }

    /// Returns frame `index`, scaled to the size of the first frame. All results have the same number of bits per
    /// channel: 16 if `keepsDepth` is true and the first frame has 16 bits, else 8.
    package mutating func next(_ index: Int, keepsDepth: Bool = false) throws(WebImageError) -> Frame {
        let given = try frame(index)
        var pixels =
            keepsProfile
            ? try given.image.pixelsToEncode(options) : try given.image.sRGBPixelsToEncode(options)
        let wanted = size ?? PixelSize(width: pixels.width, height: pixels.height)
        pixels = try pixels.scaled(to: wanted, isOpaque: !given.image.hasAlpha)
        let layout = format ?? (keepsDepth && pixels.format.bitsPerComponent > 8 ? .rgba16 : .rgba8)
        pixels = try pixels.converted(to: layout, isOpaque: !given.image.hasAlpha)
        (size, format) = (wanted, layout)
        return Frame(
            pixels: pixels, hasAlpha: given.image.hasAlpha, duration: given.duration,
            profile: keepsProfile ? given.image.colorProfile?.matching(layout) : nil)
    }
}

/// Rounds durations to a format's unit. Adds the rounding error of each frame to the duration of the next frame.
package struct FrameClock {
    private let unitsPerSecond: Double
    private let limit: Int
    private var exact = 0.0
    private var given = 0.0

    package init(unitsPerSecond: Double, limit: Int) {
        self.unitsPerSecond = unitsPerSecond
        self.limit = limit
    }

    /// Returns the duration of the next frame in the format's unit. The result is 0 for NaN and infinity.
    package mutating func next(_ duration: TimeInterval) -> Int {
        let units = duration.isFinite ? min(max(duration, 0) * unitsPerSecond, Double(limit)) : 0
        exact += units
        let rounded = (exact - given).rounded()
        let own = min(max(Int(rounded), 0), limit)
        given += Double(own)
        return own
    }
}

/// A frame duration as APNG stores it: a fraction of seconds. Numerator and denominator have 16 bits each.
package struct FrameFraction: Hashable {
    package var numerator: Int
    package var denominator: Int

    /// Uses the denominator 1000 if the result is exact. Otherwise approximates the duration by a continued fraction.
    package init(_ duration: TimeInterval) {
        let seconds = duration.isFinite ? min(max(duration, 0), 65535) : 0
        let thousandths = (seconds * 1000).rounded()
        if abs(thousandths - seconds * 1000) < 1e-6, thousandths <= 65535 {
            (numerator, denominator) = (Int(thousandths), 1000)
            return
        }
        var (before, last) = ((0, 1), (1, 0))
        var rest = seconds
        for _ in 0..<20 {
            let whole = rest.rounded(.down)
            guard whole <= 65535 else { break }
            let next = (Int(whole) * last.0 + before.0, Int(whole) * last.1 + before.1)
            guard next.0 <= 65535, next.1 <= 65535 else { break }
            (before, last) = (last, next)
            guard rest - whole > 1e-9 else { break }
            rest = 1 / (rest - whole)
        }
        (numerator, denominator) = last.1 == 0 ? (65535, 1) : last
    }
}
