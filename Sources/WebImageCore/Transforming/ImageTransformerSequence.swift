/// A transformer that consists of several parts. The parts are transformers that run one after another.
///
/// The manager runs each part separately. If the sequences of two loads begin with equal parts, the loads share the
/// results of these parts. The sequence's ``transformerKey`` consists of the keys of its parts, joined by `-`.
@preconcurrency public protocol ImageTransformerSequence: ImageTransformer {
    /// The parts in the order in which they run.
    var transformers: [any ImageTransformer] { get }
}
