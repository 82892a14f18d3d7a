/// A transformer that is several, one after the other.
///
/// The manager runs its parts itself, so that loads which begin with the same parts share them. Its ``transformerKey``
/// is its parts' keys joined by `-`.
@preconcurrency public protocol ImageTransformerSequence: ImageTransformer {
    /// The parts in the order they run.
    var transformers: [any ImageTransformer] { get }
}
