/// A load prepared by its loader: its identity, and an opaque value that performs it.
package struct PreparedLoad: Sendable {
    package let identity: LoadIdentity
    /// Passed back to the loader in ``ImageDataLoad/prepared``; nil when the load cannot be prepared.
    package let value: (any AnyObject & Sendable)?

    package init(identity: LoadIdentity, value: (any AnyObject & Sendable)?) {
        self.identity = identity
        self.value = value
    }
}

/// A loader that computes the identity from the HTTP request that it will send. Preparing a load avoids building the
/// request twice.
package protocol PreparingDataLoader: ImageDataLoader {
    /// Prepares a load. Its identity equals ``ImageDataLoader/identity(of:)``.
    func prepare(_ load: ImageDataLoad) -> PreparedLoad
    /// Prepares a load to find its scope; nil if the scope is known without preparing the load.
    func prepareForScope(_ load: ImageDataLoad) -> PreparedLoad?
}
