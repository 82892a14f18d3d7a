/// Writes metrics in Prometheus' text format 0.0.4.
package struct PrometheusText {
    private let prefix: String
    private var lines: [String] = []

    /// - Parameter prefix: The first part of every metric name. The underscore after the prefix is added automatically.
    package init(prefix: String) { self.prefix = prefix }

    /// The text of all lines added so far.
    package var text: String { lines.joined(separator: "\n") + "\n" }

    /// Adds the description of a metric. Add the values of the metric after this call.
    package mutating func describe(_ name: String, _ type: String, _ help: String) {
        lines += ["# HELP \(prefix)_\(name) \(help)", "# TYPE \(prefix)_\(name) \(type)"]
    }

    /// Adds one value of a metric.
    package mutating func add(_ name: String, _ labels: KeyValuePairs<String, String> = [:], _ value: some Numeric) {
        lines.append("\(prefix)_\(name)\(Self.braces(labels)) \(value)")
    }

    /// Adds the buckets, sum and count of a histogram.
    package mutating func add(_ name: String, label: (String, String)?, _ histogram: PrometheusHistogram) {
        var total = 0
        for (index, count) in histogram.counts.enumerated() {
            total += count
            let bounds = PrometheusHistogram.bounds
            let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
            if let label {
                add(name + "_bucket", [label.0: label.1, "le": bound], total)
            } else {
                add(name + "_bucket", ["le": bound], total)
            }
        }
        let labels: KeyValuePairs<String, String> = label.map { [$0.0: $0.1] } ?? [:]
        add(name + "_sum", labels, histogram.sum)
        add(name + "_count", labels, total)
    }

    private static func braces(_ labels: KeyValuePairs<String, String>) -> String {
        labels.isEmpty ? "" : "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n", "\r\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text
    }
}

/// A histogram of durations, with buckets from 1 ms to 10 s.
package struct PrometheusHistogram: Sendable {
    /// The upper bounds of the buckets in seconds. An additional last bucket counts longer durations.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    package private(set) var sum = 0.0

    package init() {}

    /// Adds one duration.
    package mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
    }
}
