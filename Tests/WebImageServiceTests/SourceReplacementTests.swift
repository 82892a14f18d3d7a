import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Replacements of the beginnings of sources. Clients choose the source, so neither its length nor its text may cost much.
@Suite(.timeLimit(minutes: 1))
struct SourceReplacementTests {
    @Test(arguments: [
        ("a*=http://h/${1}", "abc/d", "http://h/bc/d"), ("a*b*=${2}-${1}", "axbyb/z", "-xby/z"),
        ("x://=http://h/", "x://y", "http://h/y"), ("x://=http://h/", "y", "y"), ("*/*/=${1}.${2}/", "a/b/c", "a.b/c"),
        ("a**b=${1}|${2}", "axxb", "xx|"), ("*=${1}${1}", "ab/c", "abab/c"), ("a*=", "ab", ""),
        ("ä*ö=${1}", "äüöx", "üx"), ("a*=$1${1}${0}", "ab", "$1b${0}"),
        // The text of the source is not read again.
        ("*/*/=${2}:${1}/", "a/${1}/c", "${1}:a/c"),
    ]) func beginningIsReplaced(row: (definition: String, source: String, result: String)) throws {
        #expect(try #require(SourceReplacement(row.definition)).applied(to: row.source) == row.result)
    }

    /// Compares with a regular expression, in which each star is `([^/]*)`.
    @Test func starsMatchAsInARegularExpression() throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<3_000 {
            func text(_ letters: [String], _ most: Int) -> String {
                (0..<Int.random(in: 0...most, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let pattern = "a" + text(["a", "b", "/", "*"], 6), source = text(["a", "b", "/"], 12)
            let stars = pattern.count { $0 == "*" }
            let template = (1...(stars + 1)).dropLast().map { "<${\($0)}>" }.joined()
            let expression =
                "^"
                + pattern.components(separatedBy: "*").map(NSRegularExpression.escapedPattern(for:))
                .joined(separator: "([^/]*)")
            let regex = try NSRegularExpression(pattern: expression)
            var expected = source
            if let match = regex.firstMatch(in: source, range: NSRange(source.startIndex..., in: source)),
                let whole = Range(match.range, in: source)
            {
                let groups = (1..<match.numberOfRanges).map { index in
                    "<" + (Range(match.range(at: index), in: source).map { String(source[$0]) } ?? "") + ">"
                }
                expected = groups.joined() + source[whole.upperBound...]
            }
            let replacement = try #require(SourceReplacement("\(pattern)=\(template)"))
            #expect(replacement.applied(to: source) == expected, "\(pattern) \(source)")
        }
    }

    @Test func longSourceCostsLittleTimeAndMemory() throws {
        let replacement = try #require(SourceReplacement("http://*.cdn.*.cdn.*.example/*=http://${3}${2}${1}/"))
        let long = "http://" + String(repeating: ".cdn.", count: 500)
        let seconds = processorSeconds { #expect(replacement.applied(to: long) == long) }
        #expect(seconds < Sanitizer.seconds(0.5), "\(seconds) s")
        // Each text names the one before it.
        let parts =
            ["a" + String(repeating: "x", count: 4_000)] + [1, 2].map { String(repeating: "${\($0)}", count: 900) }
        let amplifying = try #require(SourceReplacement("*/*/*/=${3}"))
        #expect(amplifying.applied(to: parts.joined(separator: "/") + "/").utf8.count == parts[2].utf8.count)
    }

    private func processorSeconds(_ work: () -> Void) -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        work()
        return now() - start
    }
}
