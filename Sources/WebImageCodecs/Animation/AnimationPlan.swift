import WebImageCore

/// The dependencies between an animation's frames, as a pure value.
///
/// *The ground of frame i* is the canvas that frame i is drawn on. The ground of i + 1 is the canvas with frame i (no
/// disposal), or the ground of i with the frame's rectangle cleared (disposal background), or the ground of i unchanged
/// (disposal previous). To reach a later frame, only frames without disposal have to be decoded.
struct AnimationPlan: Sendable {
    let canvas: PixelSize
    let frames: [AnimationFrame]

    /// The change from a frame's ground to the next frame's ground.
    enum Step: Sendable, Hashable { case draw, clear, nothing }

    /// For each frame, the nearest frame at or before it from which its ground can be made without any cached canvas.
    private let groundStarts: [UInt32]

    init(canvas: PixelSize, frames: [AnimationFrame]) {
        self.canvas = canvas
        self.frames = frames
        var starts: [UInt32] = []
        starts.reserveCapacity(frames.count)
        var isClear = true
        var previousStart: UInt32 = 0
        for (index, frame) in frames.enumerated() {
            let start = isClear ? UInt32(index) : previousStart
            starts.append(start)
            let isWhole = frame.covers(canvas)
            switch frame.disposal {
            case .none:
                isClear = isClear && frame.isEmpty
                previousStart = isWhole && frame.replacesWhatIsBeneath ? UInt32(index) : start
            case .background:
                isClear = isClear || isWhole
                previousStart = start
            case .previous:
                // This also holds for the first frame, which a clear canvas precedes.
                previousStart = start
            }
        }
        groundStarts = starts
    }

    /// Whether frame `index` looks the same on any ground.
    func isIndependent(_ index: Int) -> Bool {
        frames[index].replacesWhatIsBeneath && frames[index].covers(canvas)
    }

    /// Whether frame `index` is drawn on a clear canvas.
    func hasClearGround(_ index: Int) -> Bool { Int(groundStarts[index]) == index }

    /// The first frame that must be processed to show frame `index` when no canvas is cached.
    func start(for index: Int) -> Int { isIndependent(index) ? index : Int(groundStarts[index]) }

    func step(after index: Int) -> Step {
        let frame = frames[index]
        return switch frame.disposal {
        case _ where frame.isEmpty: .nothing
        case .none: .draw
        case .background: .clear
        case .previous: .nothing
        }
    }
}
