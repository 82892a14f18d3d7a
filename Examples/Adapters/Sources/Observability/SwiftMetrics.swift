// Sends the durations and byte counts of stages to swift-metrics (2.0 and later). Copy this file into your target.
// Here, the file is compiled against stubs of the declarations that it uses. It was not tested with the real package.
//     WebImageManager.shared.listener = SwiftMetricsListener()
import Metrics
import WebImage

struct SwiftMetricsListener: WebImageManagerListener {
    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {}

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        let outcome = report.error.map { "\($0.code)" } ?? "ok"
        let dimensions = [("stage", report.stage.rawValue), ("outcome", outcome)]
        let nanoseconds = Int64(report.duration / .nanoseconds(1))
        Metrics.Timer(label: "webimage_stage", dimensions: dimensions).recordNanoseconds(nanoseconds)
        Counter(label: "webimage_stage_bytes", dimensions: dimensions).increment(by: report.byteCount ?? 0)
    }
}
