import Foundation
import WebImageCore

/// Counters of a service and their text for Prometheus (exposition format 0.0.4).
final class ServiceMetrics: Sendable {
    private struct Histogram {
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var sum = 0.0

        mutating func add(_ seconds: Double) {
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            sum += seconds
        }
    }

    private struct RequestKey: Hashable {
        var route: ServiceRecord.Route
        var outcome: ServiceRecord.Outcome
        var status: Int
    }

    private struct State {
        var requests: [RequestKey: Int] = [:]
        var refusals: [String: Int] = [:]
        var formats: [String: Int] = [:]
        var stages: [ServiceRecord.Stage: Histogram] = [:]
        var durations = Histogram()
        var sentBytes = 0
        var sourceBytes = 0
    }

    private let state = Locked(State())

    func count(_ response: ServiceResponse, isHead: Bool) {
        let record = response.record
        state.withLock { state in
            state.requests[
                RequestKey(route: record.route, outcome: record.outcome, status: response.status), default: 0] += 1
            if let reason = record.reason { state.refusals[reason, default: 0] += 1 }
            if let format = record.format?.name { state.formats[format, default: 0] += 1 }
            for (stage, duration) in record.stages {
                state.stages[stage, default: Histogram()].add(duration / .seconds(1))
            }
            state.durations.add(record.duration / .seconds(1))
            state.sourceBytes += record.sourceByteCount ?? 0
            if !isHead { state.sentBytes += response.body.count }
        }
    }

    /// - Parameter gauges: Current values by name.
    func text(gauges: [(name: String, help: String, value: Int)]) -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func head(_ name: String, _ type: String, _ help: String) {
            lines += ["# HELP webimage_\(name) \(help)", "# TYPE webimage_\(name) \(type)"]
        }
        head("requests_total", "counter", "Answers by route, origin of the answer and status.")
        for (key, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            lines.append(
                "webimage_requests_total{route=\"\(key.route.rawValue)\",outcome=\"\(key.outcome.rawValue)\","
                    + "status=\"\(key.status)\"} \(count)")
        }
        head("refusals_total", "counter", "Refusals by reason.")
        for (reason, count) in state.refusals.sorted(by: { $0.key < $1.key }) {
            lines.append("webimage_refusals_total{reason=\"\(reason)\"} \(count)")
        }
        head("results_total", "counter", "Pictures sent by format.")
        for (format, count) in state.formats.sorted(by: { $0.key < $1.key }) {
            lines.append("webimage_results_total{format=\"\(format)\"} \(count)")
        }
        head("sent_bytes_total", "counter", "Bytes of bodies.")
        lines.append("webimage_sent_bytes_total \(state.sentBytes)")
        head("source_bytes_total", "counter", "Bytes of sources.")
        lines.append("webimage_source_bytes_total \(state.sourceBytes)")
        head("request_duration_seconds", "histogram", "From the request to the answer.")
        lines += Self.lines("request_duration_seconds", "", state.durations)
        head("stage_duration_seconds", "histogram", "Stages of the work.")
        for (stage, histogram) in state.stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines += Self.lines("stage_duration_seconds", "stage=\"\(stage.rawValue)\"", histogram)
        }
        for gauge in gauges {
            head(gauge.name, "gauge", gauge.help)
            lines.append("webimage_\(gauge.name) \(gauge.value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ name: String, _ label: String, _ histogram: Histogram) -> [String] {
        var total = 0
        var lines: [String] = []
        let prefix = label.isEmpty ? "" : label + ","
        for (index, count) in histogram.counts.enumerated() {
            total += count
            let bound = index < Histogram.bounds.count ? "\(Histogram.bounds[index])" : "+Inf"
            lines.append("webimage_\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)")
        }
        let braces = label.isEmpty ? "" : "{\(label)}"
        lines.append("webimage_\(name)_sum\(braces) \(histogram.sum)")
        lines.append("webimage_\(name)_count\(braces) \(total)")
        return lines
    }
}
