public import Foundation

extension ImageCodersManager {
    /// Makes a coder for one image that is being downloaded. `start` contains the first bytes of the file. Returns
    /// nil when no coder can make partial images of this format.
    public func makeIncrementalCoder(
        for start: Data?, options: ImageCoderOptions?
    ) -> (any ProgressiveImageCoder)? {
        guard let start, let coder = coders.last(where: { $0.canDecode(from: start) }) as? any ProgressiveImageCoder,
            coder.canIncrementalDecode(from: start)
        else { return nil }
        return type(of: coder).init(incrementalWithOptions: options)
    }
}
