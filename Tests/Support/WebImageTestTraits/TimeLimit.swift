package import Testing
import WebImageTesting

extension Trait where Self == TimeLimitTrait {
    /// A limit of so many minutes in a plain build; under a sanitizer it is longer by ``Sanitizer/slowdown``.
    package static func timeLimit(minutes: Int) -> Self {
        .timeLimit(.minutes(Sanitizer.running == nil ? minutes : minutes * Sanitizer.slowdown))
    }
}
