// Sends the spans of loads and their stages to swift-distributed-tracing (1.0 and later). Copy this file into your
// target. Here, the file is compiled against stubs of the declarations that it uses. It was not tested with the real
// package.
//     WebImageManager.shared.listener = TracingListener()
import Synchronization
import Tracing
import WebImage

final class TracingListener: WebImageManagerListener {
    private let running = Mutex<[UInt64: any Span]>([:])

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
        // The tracing context belongs to the caller's task. Only the first span of a load begins in this task. The span
        // of a stage therefore uses the context of its parent span. If shared work continues after its load has ended,
        // no parent span is running, and the work begins a new trace.
        let parent = span.parentID.flatMap { id in running.withLock { $0[id] } }
        let begun = startSpan(
            "webimage.\(span.stage.rawValue)", context: parent?.context ?? ServiceContext.current ?? .topLevel)
        running.withLock { $0[span.id] = begun }
    }

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        guard let span = running.withLock({ $0.removeValue(forKey: report.span.id) }) else { return }
        let joined = running.withLock { running in report.joinedLoadIDs.compactMap { running[$0] } }
        for load in joined { span.addLink(SpanLink(context: load.context, attributes: [:])) }
        for (name, value) in report.attributes { span.attributes[name] = .string(value) }
        if let error = report.error { span.recordError(error) }
        span.end()
    }
}
