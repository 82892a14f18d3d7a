public import WebImage
import WebImageCompatibility

extension ImageCodersManager {
    /// The coders. The coder that was added last is tried first. Setting nil removes all coders.
    public var coders: [any SDImageCoder]? {
        get { ownCoders.map(SDImageIOAnimatedCoder.named) }
        set { ownCoders = (newValue ?? []).map(Self.registered) }
    }

    /// Adds a coder. It is tried first.
    public func addCoder(_ coder: any SDImageCoder) { addOwnCoder(Self.registered(coder)) }

    /// Removes a coder. Does nothing if the manager does not have it.
    public func removeCoder(_ coder: any SDImageCoder) { removeOwnCoder(Self.registered(coder)) }

    private static func registered(_ coder: any SDImageCoder) -> any ImageCoder {
        switch coder {
        case let coder as SDImageIOAnimatedCoder: coder.registered
        case let coder as AdoptedCoder: coder.own
        default: coder
        }
    }
}
