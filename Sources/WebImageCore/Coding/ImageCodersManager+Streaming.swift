public import Foundation

extension ImageCodersManager {
    /// A new coder for one picture that arrives in pieces and starts so; nil when no coder shows such pictures in part.
    public func makeIncrementalCoder(
        for start: Data?, options: ImageCoderOptions?
    ) -> (any ProgressiveImageCoder)? {
        guard let start, let coder = coders.last(where: { $0.canDecode(from: start) }) as? any ProgressiveImageCoder,
            coder.canIncrementalDecode(from: start)
        else { return nil }
        return type(of: coder).init(incrementalWithOptions: options)
    }
}
