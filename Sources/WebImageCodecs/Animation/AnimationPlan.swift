import WebImageCore

/// The dependencies between an animation's frames, as a pure value.
///
/// *The backdrop of frame i* is the canvas that frame i is drawn on. The backdrop of i + 1 is the canvas with frame i (no
/// disposal), or the backdrop of i with the frame's rectangle cleared (disposal background), or the backdrop of i unchanged
/// (disposal previous). To reach a later frame, only frames without disposal have to be decoded.
struct AnimationPlan: Sendable {
    let canvas: PixelSize
    let frames: [AnimationFrame]

    /// The change from a frame's backdrop to the next frame's backdrop.
    enum Step: Sendable, Hashable { case draw, clear, nothing }

    /// For each frame, the nearest frame at or before it from which its backdrop can be made without any cached canvas.
    private let backdropStarts: [UInt32]

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
                previousStart = isWhole && frame.replacesBackdrop ? UInt32(index) : start
            case .background:
                isClear = isClear || isWhole
                previousStart = start
            case .previous:
                // This also holds for the first frame, which a clear canvas precedes.
                previousStart = start
            }
        }
        backdropStarts = starts
    }

    /// Whether frame `index` looks the same on any backdrop.
    func isIndependent(_ index: Int) -> Bool {
        frames[index].replacesBackdrop && frames[index].covers(canvas)
    }

    /// Whether frame `index` is drawn on a clear canvas.
    func hasClearBackdrop(_ index: Int) -> Bool { Int(backdropStarts[index]) == index }

    /// The first frame that must be processed to show frame `index` when no canvas is cached.
    func start(for index: Int) -> Int { isIndependent(index) ? index : Int(backdropStarts[index]) }

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
