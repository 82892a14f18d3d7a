/// What a loader makes of a load once: its identity, and the loader's own value that performs it.
package struct PreparedLoad: Sendable {
    package let identity: LoadIdentity
    /// Given back in ``ImageDataLoad/prepared``; nil where the load cannot be prepared.
    package let value: (any AnyObject & Sendable)?

    package init(identity: LoadIdentity, value: (any AnyObject & Sendable)?) {
        self.identity = identity
        self.value = value
    }
}

/// A loader whose identity of a load is a part of the work: the request that names the work is the one that runs it.
package protocol PreparingDataLoader: ImageDataLoader {
    /// Prepares a load; ``ImageDataLoader/identity(of:)`` is its identity.
    func prepare(_ load: ImageDataLoad) -> PreparedLoad
    /// The preparation whose scope is that of the load; nil where the scope is known without one.
    func prepareForScope(_ load: ImageDataLoad) -> PreparedLoad?
}
