import Foundation
import WebImage
import WebImageSandbox
import WebImageService

/// Decoding in restricted processes, on request of a command.
enum DecoderProcesses {
    /// - Parameter isolation: a process for many pictures (`process`) or for each (`picture`).
    static func enable(_ place: DecoderPlace = .process) throws(UsageError) {
        var configuration = WebImageSandbox.Configuration()
        if place == .picture { configuration.picturesPerWorker = 1 }
        if let switchedOff { Console.error(switchedOff) }
        do throws(WebImageError) {
            try WebImageSandbox.enable(configuration)
        } catch {
            throw UsageError("decoding in restricted processes is not possible: \(error)")
        }
        // Every command that asks for it decodes at once.
        DecoderIsolation.expectPicture()
    }

    /// The formats that are decoded in restricted processes without being asked for it.
    static let alwaysIsolated: Set<ImageFormat> = [.jpeg2000, .raw, .pdf, .lottie, .video]

    /// Decodes the formats of plug-ins in restricted processes, also without `--sandbox`: their libraries are large, and some
    /// of them end the program at a damaged file. Where no process can start, this process decodes them.
    static func isolatePlugIns() {
        var configuration = WebImageSandbox.Configuration()
        configuration.whenUnavailable = .decodeHere
        configuration.formats = alwaysIsolated
        // A failure leaves all decoders in this process.
        _ = try? WebImageSandbox.enable(configuration)
    }

    /// The message that nothing is isolated, because the environment forbids it; nil if it does not.
    static var switchedOff: String? {
        guard ProcessInfo.processInfo.environment["WEBIMAGE_SANDBOX_MODE"] == "off" else { return nil }
        return "WEBIMAGE_SANDBOX_MODE is off: pictures are decoded in this process"
    }

    /// Checks that a process for the most common formats starts. Blocks for some milliseconds.
    static func check() throws(UsageError) {
        do throws(WebImageError) {
            _ = try WebImageSandbox.protections(of: [.jpeg])
        } catch {
            throw UsageError("decoding in restricted processes is not possible: \(error)")
        }
    }

    /// The counters of the processes as Prometheus text; empty if pictures are decoded in this process.
    static var metrics: String {
        guard let statistics = WebImageSandbox.statistics else { return "" }
        var text = PrometheusText(prefix: "webimage_decoder")
        text.describe("processes", "gauge", "Decoder processes.")
        text.add("processes", [:], statistics.workers)
        text.describe("starts_total", "counter", "Decoder processes that were started.")
        text.add("starts_total", [:], statistics.started)
        text.describe("pictures_total", "counter", "Pictures and frames that decoder processes were asked for.")
        text.add("pictures_total", [:], statistics.pictures)
        text.describe("ends_total", "counter", "Decoder processes that ended, by reason.")
        for (reason, count) in statistics.ended.sorted(by: { $0.key < $1.key }) {
            text.add("ends_total", ["reason": reason], count)
        }
        text.describe("waits_total", "counter", "Requests that waited for a decoder process.")
        text.add("waits_total", [:], statistics.waits)
        text.describe("transit_seconds_total", "counter", "Seconds of requests that were not spent on decoding.")
        text.add("transit_seconds_total", [:], statistics.transit / .seconds(1))
        return text.text
    }
}
