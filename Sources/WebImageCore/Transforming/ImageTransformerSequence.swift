/// A transformer that consists of several transformers in a row.
///
/// The manager runs the parts itself, so that loads that begin with the same parts share their results. Its
/// ``transformerKey`` is the keys of its parts, joined by `-`.
@preconcurrency public protocol ImageTransformerSequence: ImageTransformer {
    /// The parts in the order in which they run.
    var transformers: [any ImageTransformer] { get }
}
