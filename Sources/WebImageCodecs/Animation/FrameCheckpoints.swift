/// Grounds kept along an animation, so that a jump back does not start at the key frame.
///
/// Nothing is kept until the first jump back; from then on every so many frames, within a limit of bytes.
struct FrameCheckpoints {
    /// Frames between two checkpoints.
    let interval: Int
    private var isActive = false
    private var kept: [Int: FrameGround] = [:]

    init(frameCount: Int, canvasBytes: Int, byteLimit: Int) {
        let count = max(1, byteLimit / max(canvasBytes, 1))
        interval = max(8, (frameCount + count - 1) / count)
    }

    /// Checkpoints kept now.
    var count: Int { kept.count }

    mutating func begin() { isActive = true }

    mutating func drop() {
        isActive = false
        kept = [:]
    }

    mutating func offer(_ ground: FrameGround) {
        guard isActive, ground.isKnown, ground.frame % interval == 0, kept[ground.frame] == nil else { return }
        kept[ground.frame] = ground
    }

    /// The last checkpoint at or before a frame.
    func nearest(to frame: Int) -> FrameGround? {
        guard !kept.isEmpty else { return nil }
        for place in stride(from: frame - frame % interval, through: 0, by: -interval) {
            if let ground = kept[place] { return ground }
        }
        return nil
    }
}
