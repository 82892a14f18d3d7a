import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Tests the metrics that loads update. The metrics have the Prometheus text format.
@Suite(.timeLimit(minutes: 1))
struct MetricsTests {
    private func lines(_ metrics: WebImageMetrics, _ start: String) -> [Substring] {
        metrics.prometheusText.split(separator: "\n").filter { $0.hasPrefix(start) }
    }

    @Test func loadsAreCountedByStageOriginAndOutcome() async throws {
        let fixture = try ManagerFixture()
        let metrics = WebImageMetrics()
        fixture.manager.listener = metrics
        fixture.answer(width: 7)
        _ = try await fixture.result()
        let other = try #require(URL(string: "http://host/broken.png"))
        fixture.loader.answer(other, with: .success(Data("no picture".utf8)))
        _ = try? await fixture.manager.image(for: other, context: fixture.context)
        #expect(await eventually { lines(metrics, "webimage_load_stages_running").allSatisfy { $0.hasSuffix(" 0") } })
        let decodes = lines(metrics, "webimage_load_stages_total{stage=\"decode\"")
        #expect(decodes.contains { $0.contains("outcome=\"ok\"} 1") })
        #expect(decodes.contains { $0.contains("outcome=\"badImageData\"} 1") })
        #expect(
            lines(metrics, "webimage_load_stage_duration_seconds_count{stage=\"decode\"}").first?.hasSuffix(" 2")
                == true)
        #expect(!metrics.prometheusText.contains("host"))
    }

    @Test func histogramBucketsAreCumulative() {
        var histogram = PrometheusHistogram()
        for milliseconds in [0, 1, 2, 30, 20_000] { histogram.add(.milliseconds(milliseconds)) }
        var text = PrometheusText(prefix: "a")
        text.describe("b", "histogram", "Help.")
        text.add("b", label: nil, histogram)
        let lines = text.text.split(separator: "\n")
        #expect(lines.prefix(2) == ["# HELP a_b Help.", "# TYPE a_b histogram"])
        #expect(lines.contains("a_b_bucket{le=\"0.001\"} 2") && lines.contains("a_b_bucket{le=\"10.0\"} 4"))
        #expect(lines.suffix(3) == ["a_b_bucket{le=\"+Inf\"} 5", "a_b_sum 20.033", "a_b_count 5"])
    }

    @Test func valuesOfLabelsAreEscaped() {
        var text = PrometheusText(prefix: "a")
        text.add("b", ["c": "x\"y\\z\nw"], 1)
        #expect(text.text == "a_b{c=\"x\\\"y\\\\z\\nw\"} 1\n")
    }
}
