package import Testing
import WebImageTesting

extension Trait where Self == TimeLimitTrait {
    /// Returns a time limit of `minutes` minutes. Under a sanitizer, the limit is multiplied by ``Sanitizer/slowdown``.
    package static func timeLimit(minutes: Int) -> Self {
        .timeLimit(.minutes(Sanitizer.running == nil ? minutes : minutes * Sanitizer.slowdown))
    }
}
