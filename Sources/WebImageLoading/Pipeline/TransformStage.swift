import Foundation
import WebImageCore

/// Step 6 of a load. Runs one step of the transformer: on the decode pool if the step only computes, otherwise on the
/// threads for code that may wait, or as an `async` function.
struct TransformStage: Sendable {
    let pool: DecodePool
    private let userPool: UserCodePool

    init(pool: DecodePool, userPool: UserCodePool = .shared) { (self.pool, self.userPool) = (pool, userPool) }

    /// Applies one step to the image. If the options do not allow transforming this kind of image, returns the
    /// unchanged image.
    func image(
        of made: DecodedImage, _ step: any ImageTransformer, _ steps: ArraySlice<any ImageTransformer>,
        _ plan: LoadPlan, _ priority: LoadPriorityHandle
    ) async throws(WebImageError) -> DecodedImage {
        let input = made.image
        guard plan.mayTransform(input) else {
            input.transformOptions = input.neededTransformOptions
            return made
        }
        guard !Task.isCancelled else { throw .cancelled }
        var made = made
        made.image = try await plan.observed(
            .transform, { StageSummary(byteCount: $0.pixels.byteCount, image: $0) }
        ) { () throws(WebImageError) in
            switch step.execution {
            case .computing:
                try await pool.run(cost: input.pixels.byteCount, priority: priority) { () throws(WebImageError) in
                    Self.apply(step, to: input, plan, steps: steps)
                }
            case .waiting:
                try await userPool.run(priority: priority.priority) { Self.apply(step, to: input, plan, steps: steps) }
            case .asynchronous: try await Self.applyAsynchronously(step, to: input, plan, steps: steps)
            }
        }
        return made
    }

    /// Returns a handle that applies the step to every partial image and passes all events to `handle`. The partial
    /// images of an `async` step are dropped.
    func previews(
        of step: any ImageTransformer, steps: ArraySlice<any ImageTransformer>, _ plan: LoadPlan,
        _ handle: StageHandle
    ) -> StageHandle {
        let execution = step.execution
        let previews = execution == .waiting ? WaitingPreviews(userPool) : nil
        return StageHandle(priority: handle.priority, demand: handle.demand) { event in
            guard case .partial(let image) = event else { return handle.send(event) }
            switch execution {
            case .computing: handle.send(.partial(Self.apply(step, to: image, plan, steps: steps)))
            case .waiting: previews?.add { handle.send(.partial(Self.apply(step, to: image, plan, steps: steps))) }
            case .asynchronous: break
            }
        }
    }

    /// Returns the result of the step, or the unchanged image if the step returns nil.
    private static func apply(
        _ step: any ImageTransformer, to image: Image, _ plan: LoadPlan, steps: ArraySlice<any ImageTransformer>
    ) -> Image {
        guard plan.mayTransform(image) else { return image }
        return finished(step.transformedImage(with: image, forKey: key(plan, steps)), of: image, plan)
    }

    /// Does the same as `apply` for an `async` step.
    private static func applyAsynchronously(
        _ step: any ImageTransformer, to image: Image, _ plan: LoadPlan, steps: ArraySlice<any ImageTransformer>
    ) async throws(WebImageError) -> Image {
        let result: Image?
        do {
            result = try await step.asynchronouslyTransformedImage(with: image, forKey: key(plan, steps))
        } catch {
            throw failure(error, plan.url)
        }
        guard !Task.isCancelled else { throw .cancelled }
        return finished(result, of: image, plan)
    }

    /// The error of a step. It has the stage `.transform`, so that it does not mark the URL as failed. The cancel of a
    /// load inside the step is not a cancel of this load.
    private static func failure(_ error: any Error, _ url: URL) -> WebImageError {
        guard !Task.isCancelled else { return .cancelled }
        let known = error as? WebImageError
        let underlying = known.flatMap { $0.isCancellation ? nil : $0.underlying }
        return WebImageError(
            known.flatMap { $0.isCancellation ? nil : $0.code } ?? .badImageData, stage: .transform, url: url,
            underlying: underlying ?? .message("the transformer failed: \(error)"), hint: known?.hint)
    }

    private static func key(_ plan: LoadPlan, _ steps: ArraySlice<any ImageTransformer>) -> String {
        let suffix = steps.map(\.transformerKey).joined(separator: "-")
        return LoadKeys.key(plan.keys.base ?? plan.url.absoluteString, thumbnail: plan.thumbnail, suffix: suffix)
    }

    private static func finished(_ result: Image?, of image: Image, _ plan: LoadPlan) -> Image {
        guard let transformer = plan.transformer else { return image }
        var deciding = image.neededTransformOptions
        if image.isTransformed { deciding.formUnion(image.transformOptions) }
        guard let result, result !== image else {
            // The step did not change the image, so the result does not depend on the transform options.
            if !image.isTransformed { image.transformOptions = [] }
            return image
        }
        if transformer.preserveImageMetadata { result.copyMetadata(from: image) }
        result.isTransformed = true
        result.transformOptions = deciding
        result.isIncremental = image.isIncremental
        return result
    }
}

extension LoadPlan {
    /// The steps of the transformer. A transformer that is not a sequence is itself the only step.
    var transformers: [any ImageTransformer] {
        guard let transformer else { return [] }
        return Self.parts(of: transformer)
    }

    private static func parts(of transformer: any ImageTransformer) -> [any ImageTransformer] {
        let steps = transformer.steps
        return steps.isEmpty ? [transformer] : steps.flatMap { parts(of: $0) }
    }

    func mayTransform(_ image: Image) -> Bool { options.isSuperset(of: image.neededTransformOptions) }
}

/// Makes the partial images of a step that may wait. At most one partial image waits: a newer one replaces it.
private final class WaitingPreviews: Sendable {
    private let pool: UserCodePool
    private let flush = Locked(PendingFlush<@Sendable () -> Void>())

    init(_ pool: UserCodePool) { self.pool = pool }

    func add(_ make: @escaping @Sendable () -> Void) {
        guard flush.withLock({ $0.replace(with: make) }) else { return }
        pool.submit(priority: .low) { while let make = self.flush.withLock({ $0.next() }) { make() } }
    }
}
