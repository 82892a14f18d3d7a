package import Testing
import WebImageTesting

extension Trait where Self == TimeLimitTrait {
    /// Returns a limit of this many minutes; under a sanitizer it is longer by the factor ``Sanitizer/slowdown``.
    package static func timeLimit(minutes: Int) -> Self {
        .timeLimit(.minutes(Sanitizer.running == nil ? minutes : minutes * Sanitizer.slowdown))
    }
}
