import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting
import WebImageViews

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Phase view") @MainActor struct PhaseViewTests {
        let loader = ControlledViewLoader()
        let first = URL(fileURLWithPath: "/1.png")
        let second = URL(fileURLWithPath: "/2.png")

        init() throws { try Display.open() }

        private func request(_ url: URL) -> ImageRequest {
            var request = ImageRequest(url: url)
            request.manager = loader
            return request
        }

        /// Records the phases that the block receives, in order, and the widgets that the block creates.
        @MainActor private final class Log {
            var phases: [String] = []
            var widgets: [WidgetView] = []

            func widget(for phase: WebImagePhase) -> WidgetView {
                switch phase {
                case .empty: phases.append("empty")
                case .loading(let progress, let preview):
                    phases.append("loading \(progress ?? -1) \(preview?.pixelSize.width ?? 0)")
                case .success(let image): phases.append("success \(image.pixelSize.width)")
                case .failure(let error): phases.append("failure \(error.code)")
                }
                let view = phase.image.map { ImageView($0) } ?? WidgetView()
                widgets.append(view)
                return view
            }
        }

        private func children(of view: WidgetView) -> [OpaquePointer] {
            var (children, next) = ([OpaquePointer](), gtk_widget_get_first_child(UnsafeMutablePointer(view.widget)))
            while let child = next {
                children.append(OpaquePointer(child))
                next = gtk_widget_get_next_sibling(child)
            }
            return children
        }

        @Test func anImageInMemoryIsShownBeforeTheInitialiserReturns() throws {
            loader.remember(try Image.generated(width: 7, height: 5), for: first)
            let log = Log()
            let view = PhaseView(request(first), content: log.widget)
            #expect(log.phases == ["success 7"])
            #expect(children(of: view) == log.widgets.map(\.widget))
        }

        @Test func eachPhaseShowsItsWidget() throws {
            let log = Log()
            let view = PhaseView(request(first), content: log.widget)
            loader.loads[0].report(received: 1, expected: 2)
            loader.loads[0].deliver(try TestImages.solid(width: 3), finished: false)
            loader.loads[0].deliver(try TestImages.solid(width: 9))
            #expect(log.phases.first == "loading -1.0 0" && log.phases.last == "success 9")
            #expect(log.phases.contains("loading 0.5 3"))
            #expect(children(of: view) == [log.widgets[log.widgets.count - 1].widget])
        }

        @Test func aFailureAndNoRequestArePhases() {
            let log = Log()
            let view = PhaseView(request(first), content: log.widget)
            loader.loads[0].deliver(nil, error: WebImageError(.badImageData, stage: .decode))
            #expect(log.phases.last == "failure badImageData" && view.phase.error?.code == .badImageData)
            view.load(nil)
            #expect(log.phases.last == "empty")
            #expect(children(of: view).count == 1)
        }

        @Test func newRequestStopsEventsOfThePreviousOne() throws {
            let log = Log()
            let view = PhaseView(request(first), content: log.widget)
            view.load(request(second))
            #expect(loader.loads[0].isCancelled)
            loader.loads[1].deliver(try TestImages.solid(width: 8))
            loader.loads[0].deliver(try TestImages.solid(width: 2))
            #expect(view.phase.image?.pixelSize.width == 8)
            #expect(!log.phases.contains("success 2") && !log.phases.contains("failure cancelled"))
        }

        @Test func repeatedLoadIsShown() async throws {
            let log = Log()
            var view: PhaseView? = PhaseView(request(first), content: log.widget)
            let window = try await TestWindow(try #require(view).widget, width: 20, height: 20)
            defer { window.close() }
            let offline = WebImageError(.transport, stage: .download)
            loader.loads[0].deliver(nil, error: offline)
            #expect(log.phases.last == "failure transport")
            view?.retryImageLoad()
            #expect(log.phases.last == "loading -1.0 0")
            loader.loads[1].deliver(nil, error: offline)
            #expect(log.phases.last == "failure transport")
            view = nil
            Connectivity.shared.networkIsBack()
            loader.loads[2].deliver(try TestImages.solid(width: 6))
            #expect(log.phases.last == "success 6")
        }

        @Test func failedRefreshKeepsThePictureAndIsReported() throws {
            let log = Log()
            let view = PhaseView(nil, content: log.widget)
            var failures: [WebImageError.Code] = []
            view.onRefreshFailure = { failures.append($0.code) }
            var refresh = request(first)
            refresh.options = .refreshCached
            view.load(refresh)
            loader.loads[0].deliver(try TestImages.solid(width: 4), from: .disk)
            let shown = children(of: view)
            loader.loads[0].report(received: 1, expected: 2)
            loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
            #expect(log.phases == ["empty", "loading -1.0 0", "success 4"])
            #expect(failures == [.transport] && view.refreshFailure?.code == .transport)
            // The same picture again: no spinner, and no failure instead of the picture.
            view.load(refresh)
            loader.loads[1].deliver(nil, error: WebImageError(.invalidDownloadStatusCode, stage: .download))
            #expect(log.phases.last == "success 4" && children(of: view) == shown)
            #expect(view.phase.image != nil && failures.count == 2)
            // Another picture fails.
            view.load(request(second))
            #expect(log.phases.last == "loading -1.0 0" && view.refreshFailure == nil)
            loader.loads[2].deliver(nil, error: WebImageError(.transport, stage: .download))
            #expect(log.phases.last == "failure transport")
        }

        @Test func sameRequestDuringItsLoadJoinsIt() throws {
            let log = Log()
            let view = PhaseView(request(first), content: log.widget)
            view.load(request(first))
            #expect(loader.loads.count == 1 && log.phases == ["loading -1.0 0"])
            loader.loads[0].deliver(try TestImages.solid(width: 3))
            #expect(log.phases.last == "success 3")
        }

        @Test func equalPhaseKeepsItsWidget() throws {
            let same = WidgetView()
            let view = PhaseView(request(first)) { _ in same }
            loader.loads[0].deliver(try TestImages.solid(width: 8))
            #expect(children(of: view) == [same.widget])
        }

        @Test func loadEndsWithItsWidgetAndNotWithItsHandle() async throws {
            let log = Log()
            var view: PhaseView? = PhaseView(request(first), content: log.widget)
            let window = try await TestWindow(try #require(view).widget, width: 20, height: 20)
            view = nil
            loader.loads[0].report(received: 1, expected: 2)
            let count = log.phases.count
            #expect(log.phases.contains("loading 0.5 0"))
            window.close()
            try await turnLoop()
            #expect(loader.loads[0].isCancelled)
            loader.loads[0].deliver(try TestImages.solid())
            #expect(log.phases.count == count)
        }
    }
}
