import WebImageCore

/// Grounds stored along an animation, so that a jump back does not start at the key frame.
///
/// Nothing is kept until the first jump back; from then on every so many frames, within a limit of bytes and what all
/// animations together may keep. For one thread at a time.
final class FrameCheckpoints {
    /// Frames between two checkpoints.
    let interval: Int
    private let canvasBytes: Int
    private let allowance: CheckpointAllowance
    private var isActive = false
    private var kept: [Int: FrameGround] = [:]

    init(frameCount: Int, canvasBytes: Int, byteLimit: Int, allowance: CheckpointAllowance = .shared) {
        let count = max(1, byteLimit / max(canvasBytes, 1))
        interval = max(8, (frameCount + count - 1) / count)
        self.canvasBytes = canvasBytes
        self.allowance = allowance
    }

    deinit { allowance.giveBack(kept.count * canvasBytes) }

    func begin() { isActive = true }

    func offer(_ ground: FrameGround) {
        guard isActive, ground.isKnown, ground.frame % interval == 0, kept[ground.frame] == nil,
            allowance.take(canvasBytes)
        else { return }
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

/// Bytes that the checkpoints of all animations of the process may take together, beside the frames that players hold.
///
/// When no bytes are left, an animation gets no checkpoints and jumps back from its key frames. Safe on any thread.
package final class CheckpointAllowance: Sendable {
    /// Twice what one animation may keep.
    package static let shared = CheckpointAllowance(bytes: 2 * AnimationDecoder.checkpointBytes)

    package let byteCount: Int
    private let taken = Locked(0)

    package init(bytes: Int) { byteCount = bytes }

    /// Bytes of the checkpoints there are.
    package var takenByteCount: Int { taken.withLock { $0 } }

    fileprivate func take(_ bytes: Int) -> Bool {
        taken.withLock { taken in
            guard bytes <= byteCount - taken else { return false }
            taken += bytes
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int) { taken.withLock { $0 -= bytes } }
}
