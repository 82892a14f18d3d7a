public import Foundation
public import WebImageCore

/// An animation of plain frames that counts what is decoded.
public final class FakeAnimation: AnimatedImageProvider {
    private let counts = Locked<[Int: Int]>([:])
    private let durations: [TimeInterval]
    private let seconds: Double
    private let side: Int
    private let broken: Set<Int>

    /// How often it says it plays; 0 is for ever.
    public let animatedImageLoopCount: Int

    /// Frames of the given seconds, `side` pixels a side, each decode taking `decodeSeconds`.
    public init(
        durations: [TimeInterval], loopCount: Int = 0, decodeSeconds: Double = 0, side: Int = 4, broken: Set<Int> = []
    ) {
        self.durations = durations
        animatedImageLoopCount = loopCount
        seconds = decodeSeconds
        self.side = side
        self.broken = broken
    }

    /// How often each frame was decoded.
    public var decodes: [Int: Int] { counts.withLock { $0 } }
    /// None.
    public var animatedImageData: Data? { nil }
    /// As many as durations.
    public var animatedImageFrameCount: Int { durations.count }
    /// The seconds given.
    public func animatedImageDuration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }
    /// A picture whose blue is the frame's number.
    public func animatedImageFrame(at index: Int) -> Image? {
        guard durations.indices.contains(index) else { return nil }
        counts.withLock { $0[index, default: 0] += 1 }
        if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
        guard !broken.contains(index) else { return nil }
        return try? TestImages.solid(width: side, height: side, blue: UInt8(index % 256))
    }
}

/// A display link that ticks when a test says so.
@MainActor public final class ManualDisplayLink: DisplayLink {
    private var handler: (@MainActor (TimeInterval) -> Void)?

    /// A link that stands still.
    public init() {}

    /// Whether somebody wants ticks.
    public var isRunning: Bool { handler != nil }
    /// Remembers whom to tick.
    public func start(_ tick: @escaping @MainActor (TimeInterval) -> Void) { handler = tick }
    /// Forgets it.
    public func stop() { handler = nil }
    /// One refresh, so many seconds after the one before.
    public func tick(_ elapsed: TimeInterval) { handler?(elapsed) }
}
