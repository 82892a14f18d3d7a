import Foundation
import WebImageCore
import WebImageServer

/// The metrics of the HTTP server's connections and of the process, as Prometheus text.
enum ProcessMetrics {
    static func text(_ statistics: HTTPServer.Statistics) -> String {
        var text = PrometheusText(prefix: "webimage")
        func add(_ name: String, type: String, help: String, _ value: Int) {
            text.describe(name, type, help)
            text.add(name, [:], value)
        }
        add("connections_open", type: "gauge", help: "Open connections.", statistics.openConnections)
        add(
            "connections_total", type: "counter", help: "Connections that were accepted.",
            statistics.acceptedConnections)
        add(
            "connections_refused_total", type: "counter", help: "Connections refused because of their number.",
            statistics.refusedConnections + statistics.refusedConnectionsOfClient)
        add("refused_heads_total", type: "counter", help: "Heads that were refused.", statistics.refusedRequests)
        add(
            "head_timeouts_total", type: "counter", help: "Connections closed for a slow head.", statistics.headTimeouts
        )
        add("idle_timeouts_total", type: "counter", help: "Connections closed for being idle.", statistics.idleTimeouts)
        add(
            "send_timeouts_total", type: "counter", help: "Connections closed for accepting no answer.",
            statistics.sendTimeouts)
        add("abandoned_total", type: "counter", help: "Requests whose client left.", statistics.abandonedRequests)
        let process = Status.current
        add("resident_memory_bytes", type: "gauge", help: "Resident memory of the process.", process.residentBytes)
        add("threads", type: "gauge", help: "Threads of the process.", process.threads)
        text.describe("build_info", "gauge", "The version of the program; the value is always 1.")
        text.add("build_info", ["version": WebImageCommand.version], 1)
        return text.text
    }

    /// The values of `/proc/self/status`; 0 if the file cannot be read.
    private struct Status {
        var residentBytes = 0
        var threads = 0

        static var current: Status {
            var status = Status()
            let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") {
                let words = line.split { $0 == " " || $0 == "\t" }
                guard words.count >= 2, let value = Int(words[1]) else { continue }
                switch words[0] {
                case "VmRSS:": status.residentBytes = value * 1_024
                case "Threads:": status.threads = value
                default: break
                }
            }
            return status
        }
    }
}
