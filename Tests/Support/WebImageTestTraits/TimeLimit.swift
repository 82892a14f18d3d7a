package import Testing
package import WebImageTesting

extension Trait where Self == TimeLimitTrait {
    /// Returns a time limit of `minutes` minutes. Under a sanitizer, the limit is multiplied by ``Sanitizer/slowdown``.
    package static func timeLimit(minutes: Int) -> Self {
        .timeLimit(.minutes(Sanitizer.running == nil ? minutes : minutes * Sanitizer.slowdown))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test that cannot work under a sanitizer, for the reason in `comment`.
    package static func notUnder(_ sanitizer: Sanitizer, _ comment: Comment) -> Self {
        .enabled(if: Sanitizer.running != sanitizer, comment)
    }

    /// Skips a test that needs decoder processes of every kind: under the thread sanitizer those with threads do not start,
    /// and the runtime of the sanitizer finds its own answers to signals.
    package static var needsRealDecoderProcesses: Self {
        .notUnder(.thread, "decoder processes with threads do not start with the thread sanitizer")
    }
}
