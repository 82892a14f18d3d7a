import Foundation
import WebImageCore

/// Counts requests and work of a service and writes the counters as Prometheus text (exposition format 0.0.4).
final class ServiceMetrics: Sendable {
    private struct RequestKey: Hashable {
        var route: ServiceLogEntry.Route
        var outcome: ServiceLogEntry.Outcome
        var status: Int
    }

    private struct State {
        var requests: [RequestKey: Int] = [:]
        var refusals: [String: Int] = [:]
        var formats: [String: Int] = [:]
        var stages: [ServiceLogEntry.Stage: PrometheusHistogram] = [:]
        var durations = PrometheusHistogram()
        var sentBytes = 0
        var cutAnswers = 0
        var sourceBytes = 0
    }

    private let state = Locked(State())

    func count(_ response: ServiceResponse, isHead: Bool) {
        let logEntry = response.logEntry
        state.withLock { state in
            state.requests[
                RequestKey(route: logEntry.route, outcome: logEntry.outcome, status: response.status), default: 0] += 1
            if let reason = logEntry.reason { state.refusals[reason, default: 0] += 1 }
            if !isHead, let format = Self.sentFormat(response) { state.formats[format, default: 0] += 1 }
            for (stage, duration) in logEntry.stages {
                state.stages[stage, default: PrometheusHistogram()].add(duration)
            }
            state.durations.add(logEntry.duration)
            state.sourceBytes += logEntry.sourceByteCount ?? 0
            if !isHead { state.sentBytes += response.body.count }
        }
    }

    /// Counts the bytes of a body that arrived while it was sent.
    func countArrived(_ bytes: Int, isWhole: Bool) {
        state.withLock { state in
            state.sentBytes += bytes
            if !isWhole { state.cutAnswers += 1 }
        }
    }

    /// The name of the format if the answer contains a whole picture; otherwise nil. A part of a picture (206) and the
    /// confirmation of the client's copy (304) are not pictures. A fallback is a picture with any status.
    private static func sentFormat(_ response: ServiceResponse) -> String? {
        guard !response.body.isEmpty, ![206, 304, 416].contains(response.status) else { return nil }
        return response.logEntry.format?.name
    }

    /// A current value, or several values with different labels.
    struct Gauge {
        var name: String
        var help: String
        var values: [(labels: KeyValuePairs<String, String>, value: Int)]

        init(_ name: String, help: String, _ value: Int) { self.init(name, help: help, [(KeyValuePairs(), value)]) }

        init(_ name: String, help: String, _ values: [(labels: KeyValuePairs<String, String>, value: Int)]) {
            self.name = name
            self.help = help
            self.values = values
        }
    }

    /// Returns the counters as Prometheus text.
    ///
    /// - Parameter gauges: Current values. They are written after the counters.
    func text(gauges: [Gauge], unpurgeableSources: Int = 0) -> String {
        let state = state.withLock { $0 }
        var text = PrometheusText(prefix: "webimage")
        text.describe("requests_total", "counter", "Answers by route, origin of the answer and status.")
        for (key, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.add(
                "requests_total",
                ["route": key.route.rawValue, "outcome": key.outcome.rawValue, "status": "\(key.status)"], count)
        }
        text.describe("refusals_total", "counter", "Refusals by reason.")
        for (reason, count) in state.refusals.sorted(by: { $0.key < $1.key }) {
            text.add("refusals_total", ["reason": reason], count)
        }
        text.describe("results_total", "counter", "Whole pictures sent by format.")
        for (format, count) in state.formats.sorted(by: { $0.key < $1.key }) {
            text.add("results_total", ["format": format], count)
        }
        text.describe("sent_bytes_total", "counter", "Bytes of bodies.")
        text.add("sent_bytes_total", [:], state.sentBytes)
        text.describe("cut_answers_total", "counter", "Answers that ended early while their source arrived.")
        text.add("cut_answers_total", [:], state.cutAnswers)
        text.describe("source_bytes_total", "counter", "Bytes of sources.")
        text.add("source_bytes_total", [:], state.sourceBytes)
        text.describe(
            "sources_with_too_many_tags_total", "counter",
            "Sources that were not stored, because a purge could miss them.")
        text.add("sources_with_too_many_tags_total", [:], unpurgeableSources)
        text.describe("request_duration_seconds", "histogram", "Seconds from the request to the answer.")
        text.add("request_duration_seconds", label: nil, state.durations)
        text.describe("stage_duration_seconds", "histogram", "Seconds of each stage of the work.")
        for (stage, histogram) in state.stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.add("stage_duration_seconds", label: ("stage", stage.rawValue), histogram)
        }
        for gauge in gauges {
            text.describe(gauge.name, "gauge", gauge.help)
            for value in gauge.values { text.add(gauge.name, value.labels, value.value) }
        }
        return text.text
    }
}
