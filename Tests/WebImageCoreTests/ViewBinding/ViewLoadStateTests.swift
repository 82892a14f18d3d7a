import Testing
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageViews

/// Tests the invariants of a view's load with random sequences of events.
struct ViewLoadStateTests {
    private static let picture = Image(pixels: (try? PixelBuffer(width: 2, height: 2, format: .gray8))!)
    private static let image = LoadDelivery.finished(WebImageResult(image: picture, cacheType: .disk))
    private static let cancelled = LoadDelivery.failed(.cancelled)

    @Test(arguments: 0..<80)
    func everySequenceOfEventsHasAtMostOneFinalCompletion(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let refreshes = Bool.random(using: &random)
        let options: WebImageOptions = refreshes ? .refreshCached : []
        var state = ViewLoadState()
        var turns: [Int] = []
        var (finals, hasEnded, isCancelled, isPaused) = (0, false, false, false)
        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let turn = turns.isEmpty || isPaused ? state.start() : nil
                if let turn {
                    #expect(!hasEnded && !isCancelled && turn > turns.last ?? 0)
                    turns.append(turn)
                    isPaused = false
                }
            case 1:
                let pauses = state.pause(hasOperation: !turns.isEmpty)
                if pauses {
                    #expect(!hasEnded && !isCancelled && !isPaused)
                    isPaused = true
                    #expect(!state.reports(turn: turns.last ?? 0))
                }
                #expect(state.resumes == (isPaused && !isCancelled && !hasEnded))
            case 2 where Int.random(in: 0..<5, using: &random) == 0:
                let isNew = state.cancel(replaced: Bool.random(using: &random))
                #expect(isNew == (!hasEnded && !isCancelled))
                if isNew { isCancelled = true }
            default:
                // Deliver a result of a random turn. After a cancel, the load itself can deliver a result, which has no
                // turn.
                let turn = isCancelled && Bool.random(using: &random) ? nil : turns.randomElement(using: &random)
                guard turn != nil || isCancelled, state.receives(turn: turn) else { continue }
                #expect(!hasEnded)
                if !isCancelled { #expect(turn == turns.last && !isPaused) }
                let deliveries = [
                    Self.image, .partial(Self.picture), .failed(WebImageError(.transport, stage: .download)),
                ]
                let delivery =
                    isCancelled ? Self.cancelled : try #require(deliveries.randomElement(using: &random))
                let action = state.deliver(delivery, isStale: false, hasErrorImage: false, options: options)
                if action.completes, delivery.isFinished { finals += 1 }
                hasEnded = hasEnded || action.ends
            }
        }
        // A refresh completes with the cached image and can complete once more with the refreshed image.
        #expect(refreshes || finals <= 1, "seed \(seed): \(finals) final completions")
        #expect(state.isCancelled == isCancelled)
        let next = hasEnded ? state.start() : nil
        #expect(next == nil && (!hasEnded || !state.receives(turn: turns.last)))
    }

    @Test func cancelAfterTheCachedImageAddsNoCompletion() {
        var state = ViewLoadState()
        let turn = state.start()
        _ = state.deliver(Self.image, isStale: false, hasErrorImage: false, options: .refreshCached)
        _ = state.cancel(replaced: false)
        #expect(state.receives(turn: turn))
        let action = state.deliver(
            Self.cancelled, isStale: false, hasErrorImage: false, options: .refreshCached)
        #expect(!action.completes && action.ends && state.isCancelled)
    }

    @Test func aReleaseEndsARefreshAndFailsAnyOtherLoad() {
        var state = ViewLoadState()
        guard let turn = state.start() else { return }
        if case .fail = state.release(turn: turn) {} else { Issue.record("a load without a completion does not fail") }
        _ = state.deliver(Self.image, isStale: false, hasErrorImage: false, options: .refreshCached)
        if case .end = state.release(turn: turn) {} else { Issue.record("an unchanged refresh does not end") }
    }
}
