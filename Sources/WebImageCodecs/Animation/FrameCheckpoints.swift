import WebImageCore

/// Backdrops stored along an animation, so that a jump back does not start at the key frame.
///
/// Nothing is stored until the first jump back. From then on every ``interval`` frames one backdrop is stored, within the
/// animation's limit of bytes and the budget of all animations. For one thread at a time.
final class FrameCheckpoints {
    /// Frames between two checkpoints.
    let interval: Int
    private let canvasBytes: Int
    private let budget: CheckpointBudget
    private var isActive = false
    private var kept: [Int: FrameBackdrop] = [:]

    init(frameCount: Int, canvasBytes: Int, byteLimit: Int, budget: CheckpointBudget = .shared) {
        let count = max(1, byteLimit / max(canvasBytes, 1))
        interval = max(8, (frameCount + count - 1) / count)
        self.canvasBytes = canvasBytes
        self.budget = budget
    }

    deinit { budget.giveBack(kept.count * canvasBytes) }

    func begin() { isActive = true }

    func offer(_ backdrop: FrameBackdrop) {
        guard isActive, backdrop.isKnown, backdrop.frame % interval == 0, kept[backdrop.frame] == nil,
            budget.take(canvasBytes)
        else { return }
        kept[backdrop.frame] = backdrop
    }

    /// The last checkpoint at or before a frame.
    func nearest(to frame: Int) -> FrameBackdrop? {
        guard !kept.isEmpty else { return nil }
        for place in stride(from: frame - frame % interval, through: 0, by: -interval) {
            if let backdrop = kept[place] { return backdrop }
        }
        return nil
    }
}

/// The budget for the checkpoints of all animations of the process; it does not include the frames that players store.
///
/// When no bytes are left, an animation gets no checkpoints, and a jump back decodes from a key frame. Safe on any thread.
package final class CheckpointBudget: Sendable {
    /// Twice the limit of one animation.
    package static let shared = CheckpointBudget(bytes: 2 * AnimationDecoder.checkpointBytes)

    package let byteCount: Int
    private let taken = Locked(0)

    package init(bytes: Int) { byteCount = bytes }

    /// Bytes of all stored checkpoints.
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
