package import Foundation
package import WebImageCore

/// What a loader can do. A loader declares it as a value, so that nobody has to ask the loader's type.
public struct LoaderCapabilities: Sendable {
    /// The only schemes that the loader accepts, in lower case; nil if it must be asked about every URL. Errors list them as
    /// the supported ones.
    public var schemes: [String]?
    /// Whether the loader returns decoded images (``ImageDataResult/image``). It then receives the load of each size and of
    /// each other decoding option, and only loads with equal decoding options share it.
    public var returnsImages: Bool

    /// Whether every plain load currently has the shared scope, so that the manager need not determine the scope of each. A
    /// load is plain if its context has no value for the loader, and its options enable neither cookies nor untrusted
    /// certificates. Read at every memory hit. Nil for a loader that does not say.
    package var sharesPlainLoads: (@Sendable () -> Bool)?
    /// How the loader prepares loads; nil if it does not.
    package var preparation: LoadPreparation?

    /// Declares a loader.
    ///
    /// - Parameters:
    ///   - schemes: The only schemes that it accepts, in lower case; nil if it must be asked about every URL.
    ///   - returnsImages: Whether it returns decoded images instead of bytes.
    public init(schemes: [String]? = nil, returnsImages: Bool = false) {
        (self.schemes, self.returnsImages) = (schemes, returnsImages)
    }

    /// Declares a loader of this package that sends no credentials.
    package init(ownSchemes schemes: [String]) {
        self.init(schemes: schemes)
        sharesPlainLoads = { true }
    }
}

/// How a loader computes the identity of a load from the HTTP request that it will send, so that it builds this request only
/// once, for the identity and for the download.
package struct LoadPreparation: Sendable {
    /// Prepares a load. The identity in the result is equal to the result of ``ImageLoader/identity(of:)``.
    package var prepare: @Sendable (ImageDataLoad) -> PreparedLoad
    /// Prepares a load to determine its scope. Returns nil if the loader does not have to prepare the load. In this
    /// case the context of the load determines the scope; if the context contains no scope, the scope is
    /// ``CacheScope/shared``.
    package var prepareForScope: @Sendable (ImageDataLoad) -> PreparedLoad?
    /// The reason why the policy of the loader forbids a local file; nil if it may be read. ``ImageLoadersManager`` asks
    /// every such loader before any of its loads of a `file:` URL, also if another loader reads the file.
    package var refusalOfFile: @Sendable (URL) -> WebImageError?

    package init(
        prepare: @escaping @Sendable (ImageDataLoad) -> PreparedLoad,
        prepareForScope: @escaping @Sendable (ImageDataLoad) -> PreparedLoad?,
        refusalOfFile: @escaping @Sendable (URL) -> WebImageError?
    ) {
        (self.prepare, self.prepareForScope, self.refusalOfFile) = (prepare, prepareForScope, refusalOfFile)
    }
}
