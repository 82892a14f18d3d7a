import Foundation
import WebImageCore

/// Counts the stages of a manager's loads and writes the counts as text for Prometheus.
///
/// ```swift
/// let metrics = WebImageMetrics()
/// WebImageManager.shared.listener = metrics
/// // In the handler of GET /metrics, as text/plain; version=0.0.4:
/// answer(metrics.prometheusText)
/// ```
///
/// Safe on any thread. The start and the end of a stage each cost one lock and a few additions. The text contains no
/// URLs, so the number of time series stays bounded.
public final class WebImageMetrics: WebImageManagerListener {
    private struct EndKey: Hashable, Comparable {
        var stage: String
        var origin: String
        var outcome: String

        static func < (left: EndKey, right: EndKey) -> Bool {
            (left.stage, left.origin, left.outcome) < (right.stage, right.origin, right.outcome)
        }
    }

    private struct State {
        var running: [String: Int] = [:]
        var ends: [EndKey: Int] = [:]
        var durations: [String: PrometheusHistogram] = [:]
        var bytes: [String: Int] = [:]
    }

    private let prefix: String
    private let state = Locked(State())

    /// - Parameter prefix: The first part of every metric name. Use only letters, digits and underscores.
    public init(prefix: String = "webimage") { self.prefix = prefix }

    /// Counts the start of a stage.
    public func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
        state.withLock { $0.running[span.stage.rawValue, default: 0] += 1 }
    }

    /// Counts the outcome, the duration and the bytes of a stage.
    public func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        let stage = report.stage.rawValue
        let outcome = report.error.map { "\($0.code)" } ?? "ok"
        let origin = report.originName ?? ""
        state.withLock { state in
            state.running[stage, default: 0] -= 1
            state.ends[EndKey(stage: stage, origin: origin, outcome: outcome), default: 0] += 1
            state.durations[stage, default: PrometheusHistogram()].add(report.duration)
            if let count = report.byteCount { state.bytes[stage, default: 0] += count }
        }
    }

    /// All counts since this object was created, in Prometheus' exposition format 0.0.4.
    ///
    /// The text contains the number of ended stages by origin and outcome (`_load_stages_total`), their durations in
    /// seconds (`_load_stage_duration_seconds`), their bytes (`_load_stage_bytes_total`), and the number of running
    /// stages (`_load_stages_running`).
    public var prometheusText: String {
        let state = state.withLock { $0 }
        var text = PrometheusText(prefix: prefix)
        text.describe("load_stages_total", "counter", "Stages of loads that ended, by origin of the image and outcome.")
        for (key, count) in state.ends.sorted(by: { $0.key < $1.key }) {
            text.add(
                "load_stages_total", ["stage": key.stage, "origin": key.origin, "outcome": key.outcome], count)
        }
        text.describe("load_stage_duration_seconds", "histogram", "Duration of the stages of loads.")
        for (stage, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
            text.add("load_stage_duration_seconds", label: ("stage", stage), histogram)
        }
        text.describe("load_stage_bytes_total", "counter", "Bytes read, fetched or produced by decoding.")
        for (stage, count) in state.bytes.sorted(by: { $0.key < $1.key }) {
            text.add("load_stage_bytes_total", ["stage": stage], count)
        }
        text.describe("load_stages_running", "gauge", "Stages that run now.")
        for (stage, count) in state.running.sorted(by: { $0.key < $1.key }) {
            text.add("load_stages_running", ["stage": stage], count)
        }
        return text.text
    }
}
