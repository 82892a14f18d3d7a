import WebImageCore

/// Determines which earlier frames must be decoded to show a frame. The plan is a pure value that is computed once from
/// all frames.
///
/// *The backdrop of frame i* is the canvas that frame i is drawn on. The disposal of frame i determines the backdrop of
/// frame i + 1:
///
/// - `none`: The backdrop of frame i + 1 is the canvas after frame i was drawn.
/// - `background`: The backdrop of frame i + 1 is the backdrop of frame i after the rectangle of frame i was cleared.
/// - `previous`: The backdrop of frame i + 1 is the unchanged backdrop of frame i.
///
/// Therefore only earlier frames with the disposal `none` must be decoded to show a frame.
struct FrameDependencies: Sendable {
    let canvas: PixelSize
    let frames: [AnimationFrame]

    /// The operation that turns a frame's backdrop into the next frame's backdrop.
    enum Step: Sendable, Hashable { case draw, clear, nothing }

    /// One value per frame: the latest frame from which drawing can start to produce the backdrop of this frame. The
    /// value does not depend on cached canvases.
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
                // The next frame has the same backdrop and therefore the same start. The backdrop of the first frame is
                // a clear canvas, so its `start` is 0.
                previousStart = start
            }
        }
        backdropStarts = starts
    }

    /// Whether the canvas after frame `index` is the same for every backdrop.
    func isIndependent(_ index: Int) -> Bool {
        frames[index].replacesBackdrop && frames[index].covers(canvas)
    }

    /// Whether frame `index` is drawn on a clear canvas.
    func hasClearBackdrop(_ index: Int) -> Bool { Int(backdropStarts[index]) == index }

    /// The first frame that must be processed to show frame `index` if no canvas is cached.
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
