import WebImageCore

/// Stores backdrops at regular frame intervals. A stored backdrop is called a checkpoint. A jump back is a request for
/// an earlier frame, or a second request for the last requested frame. After a jump back, decoding starts at a
/// checkpoint instead of at a distant key frame.
///
/// No checkpoint is stored before the first jump back. After this jump, one checkpoint is stored every ``interval``
/// frames. The checkpoints stay within the byte limit of the animation and the budget of all animations. Not
/// thread-safe.
final class FrameCheckpoints {
    /// The distance between two checkpoints, in frames.
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

    /// Returns the checkpoint of `frame`, or the last checkpoint before `frame`. Returns nil if there is neither.
    func nearest(to frame: Int) -> FrameBackdrop? {
        guard !kept.isEmpty else { return nil }
        for place in stride(from: frame - frame % interval, through: 0, by: -interval) {
            if let backdrop = kept[place] { return backdrop }
        }
        return nil
    }
}

/// The byte budget for the checkpoints of all animations in the process. The budget does not include frames that
/// players cache.
///
/// When the budget is used up, no further checkpoint is stored. A jump back then decodes more frames. Thread-safe.
package final class CheckpointBudget: Sendable {
    /// The budget of the process: 32 MiB, twice the limit of one animation.
    package static let shared = CheckpointBudget(bytes: 2 * AnimationDecoder.checkpointBytes)

    package let byteCount: Int
    private let taken = Locked(0)

    package init(bytes: Int) { byteCount = bytes }

    /// The number of bytes that all stored checkpoints use.
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
