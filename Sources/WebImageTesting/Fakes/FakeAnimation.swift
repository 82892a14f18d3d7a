public import Foundation
public import WebImageCore

/// An animation of single-coloured frames. It counts the decodes of each frame.
public final class FakeAnimation: AnimatedImageProvider {
    private let counts = Locked<[Int: Int]>([:])
    private let durations: [TimeInterval]
    private let seconds: Double
    private let side: Int
    private let broken: Set<Int>

    /// The loop count of the animation; 0 means that the animation repeats endlessly.
    public let animatedImageLoopCount: Int

    /// Makes an animation of square frames.
    ///
    /// - Parameters:
    ///   - durations: The durations of the frames in seconds.
    ///   - loopCount: The loop count; 0 means that the animation repeats endlessly.
    ///   - decodeSeconds: The time in seconds that each decode takes.
    ///   - side: The side of a frame in pixels.
    ///   - broken: The indices of the frames whose decode fails.
    public init(
        durations: [TimeInterval], loopCount: Int = 0, decodeSeconds: Double = 0, side: Int = 4, broken: Set<Int> = []
    ) {
        self.durations = durations
        animatedImageLoopCount = loopCount
        seconds = decodeSeconds
        self.side = side
        self.broken = broken
    }

    /// The number of decodes of each frame.
    public var decodes: [Int: Int] { counts.withLock { $0 } }
    /// Always nil, because the animation has no encoded data.
    public var animatedImageData: Data? { nil }
    /// The number of frames.
    public var animatedImageFrameCount: Int { durations.count }
    /// Returns the duration of a frame in seconds; 0 if the index is out of range.
    public func animatedImageDuration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }
    /// Returns an image whose blue value is the index modulo 256; nil for a broken frame and for an index out of range.
    public func animatedImageFrame(at index: Int) -> Image? {
        guard durations.indices.contains(index) else { return nil }
        counts.withLock { $0[index, default: 0] += 1 }
        // `decodeSeconds` simulates a slow decode. Threads of the decode pool are allowed to block.
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
        guard !broken.contains(index) else { return nil }
        return try? TestImages.solid(width: side, height: side, blue: UInt8(index % 256))
    }
}

/// A display link that ticks when a test calls ``tick(_:)``.
@MainActor public final class ManualDisplayLink: DisplayLink {
    private var handler: (@MainActor (TimeInterval) -> Void)?

    /// Makes a link without a handler.
    public init() {}

    /// Whether the link is started.
    public var isRunning: Bool { handler != nil }
    /// Stores the handler.
    public func start(_ tick: @escaping @MainActor (TimeInterval) -> Void) { handler = tick }
    /// Releases the handler.
    public func stop() { handler = nil }
    /// Calls the handler for one refresh of the display, `elapsed` seconds after the previous refresh.
    public func tick(_ elapsed: TimeInterval) { handler?(elapsed) }
}
