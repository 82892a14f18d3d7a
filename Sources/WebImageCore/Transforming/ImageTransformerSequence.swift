/// A transformer that consists of several transformers, which run one after another.
///
/// The manager runs the parts itself. Loads whose first parts are equal share the results of these parts. The
/// sequence's ``transformerKey`` consists of the keys of its parts, joined by `-`.
@preconcurrency public protocol ImageTransformerSequence: ImageTransformer {
    /// The parts in the order in which they run.
    var transformers: [any ImageTransformer] { get }
}
