import WebImageCore

/// Determines which earlier frames must be decoded to show a frame. A pure value, computed once from all frames.
///
/// *The backdrop of frame i* is the canvas that frame i is drawn on. The disposal of frame i determines the backdrop
/// of frame i + 1:
///
/// - `none`: the canvas after frame i was drawn.
/// - `background`: the backdrop of frame i with the rectangle of frame i cleared.
/// - `previous`: the backdrop of frame i, unchanged.
///
/// Frames before a requested frame must therefore be decoded only if their disposal is `none`.
struct AnimationPlan: Sendable {
    let canvas: PixelSize
    let frames: [AnimationFrame]

    /// The operation that turns a frame's backdrop into the next frame's backdrop.
    enum Step: Sendable, Hashable { case draw, clear, nothing }

    /// For each frame, the latest frame at which drawing can start, without a cached canvas, to produce this frame's
    /// backdrop.
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
                // Also correct for the first frame, because its backdrop is a clear canvas.
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
