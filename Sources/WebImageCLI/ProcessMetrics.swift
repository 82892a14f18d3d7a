import Foundation
import WebImageCore
import WebImageServer

/// The metrics of the HTTP server's connections and of the process, as Prometheus text.
enum ProcessMetrics {
    static func text(_ statistics: HTTPServer.Statistics) -> String {
        var text = PrometheusText(prefix: "webimage")
        func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
            text.describe(name, type, help)
            text.add(name, [:], value)
        }
        add("connections_open", "gauge", "Open connections.", statistics.openConnections)
        add("connections_total", "counter", "Connections that were accepted.", statistics.acceptedConnections)
        add(
            "connections_refused_total", "counter", "Connections refused because of their number.",
            statistics.refusedConnections + statistics.refusedConnectionsOfClient)
        add("refused_heads_total", "counter", "Heads that were refused.", statistics.refusedRequests)
        add("head_timeouts_total", "counter", "Connections closed for a slow head.", statistics.headTimeouts)
        add("idle_timeouts_total", "counter", "Connections closed for being idle.", statistics.idleTimeouts)
        add("send_timeouts_total", "counter", "Connections closed for accepting no answer.", statistics.sendTimeouts)
        add("abandoned_total", "counter", "Requests whose client left.", statistics.abandonedRequests)
        let process = Status.current
        add("resident_memory_bytes", "gauge", "Resident memory of the process.", process.residentBytes)
        add("threads", "gauge", "Threads of the process.", process.threads)
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
