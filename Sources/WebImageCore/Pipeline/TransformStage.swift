import Foundation

/// Step 6 of a load. Runs one step of the transformer on the decode pool.
struct TransformStage: Sendable {
    let pool: DecodePool

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
            try await pool.run(cost: input.pixels.byteCount, priority: priority) { () throws(WebImageError) in
                Self.apply(step, to: input, plan, steps)
            }
        }
        return made
    }

    /// Returns a handle that applies the step to every partial image and passes all events to `handle`.
    func previews(
        of step: any ImageTransformer, _ steps: ArraySlice<any ImageTransformer>, _ plan: LoadPlan,
        _ handle: StageHandle
    ) -> StageHandle {
        handle.mapping { event in
            guard case .partial(let image) = event else { return event }
            return .partial(Self.apply(step, to: image, plan, steps))
        }
    }

    /// Returns the result of the step, or the unchanged image if the step returns nil.
    private static func apply(
        _ step: any ImageTransformer, to image: Image, _ plan: LoadPlan, _ steps: ArraySlice<any ImageTransformer>
    ) -> Image {
        guard plan.mayTransform(image), let transformer = plan.transformer else { return image }
        let suffix = steps.map(\.transformerKey).joined(separator: "-")
        let key = LoadKeys.key(plan.base ?? plan.url.absoluteString, thumbnail: plan.thumbnail, suffix: suffix)
        var deciding = image.neededTransformOptions
        if image.isTransformed { deciding.formUnion(image.transformOptions) }
        guard let result = step.transformedImage(with: image, forKey: key), result !== image else {
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
        guard let sequence = transformer as? any ImageTransformerSequence, !sequence.transformers.isEmpty else {
            return [transformer]
        }
        return sequence.transformers.flatMap { ($0 as? any ImageTransformerSequence)?.transformers ?? [$0] }
    }

    func mayTransform(_ image: Image) -> Bool { options.isSuperset(of: image.neededTransformOptions) }
}
