import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Tests the phases that a view receives while it loads one image.
@Suite(.timeLimit(minutes: 1))
struct PhaseTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    private func request(_ options: WebImageOptions = []) -> ImageRequest {
        ImageRequest(url: fixture.url, options: options, context: fixture.context)
    }

    private func name(_ phase: WebImagePhase) -> String {
        switch phase {
        case .empty: "empty"
        case .loading(let progress, let preview):
            "loading \(progress.map { "\($0)" } ?? "-") \(preview.map { "\($0.pixelSize.width)" } ?? "-")"
        case .success(let image): "success \(image.pixelSize.width)"
        case .failure(let error): "failure \(error.code)"
        }
    }

    private func names(_ request: ImageRequest?) async -> [String] {
        var names: [String] = []
        for await phase in fixture.manager.phases(for: request) { names.append(name(phase)) }
        return names
    }

    @Test func anImageInMemoryIsTheOnlyPhase() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 6), forKey: fixture.key)
        #expect(await names(request()) == ["success 6"])
    }

    @Test func nilRequestHasOnlyTheEmptyPhase() async {
        #expect(await names(nil) == ["empty"])
    }

    @Test func aLoadBeginsWithLoadingAndEndsWithTheImage() async {
        var names: [String] = []
        for await phase in fixture.manager.phases(for: request()) {
            // A new phase replaces a phase that has not been read. The loader therefore answers only after the test has
            // read the first phase.
            if names.isEmpty { fixture.answer(width: 7) }
            names.append(name(phase))
        }
        #expect(names.first == "loading - -" && names.last == "success 7")
    }

    @Test func aFailureIsAPhaseAndTheLast() async {
        let names = await names(request(.fromCacheOnly))
        #expect(names.last == "failure notCached")
        #expect(names.filter { $0.hasPrefix("failure") }.count == 1)
    }

    @Test func aCachedImageIsASuccessBeforeTheRefreshedOne() async {
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 4)]
        fixture.answer(width: 7)
        let names = await names(request(.refreshCached))
        #expect(names.filter { $0.hasPrefix("success") } == ["success 4", "success 7"])
    }

    @Test func failedRefreshKeepsTheSuccessAndIsReported() async throws {
        let buffer = EventBuffer()
        let failures = Locked<[WebImageError.Code]>([])
        var iterator = WebImagePhases.Iterator(events: WebImageEvents.Iterator(buffer: buffer)) { error in
            failures.withLock { $0.append(error.code) }
        }
        #expect(await iterator.next().map(name) == "loading - -")
        buffer.receive(.cached(WebImageResult(image: try TestImages.solid(width: 4), cacheType: .disk)), nil)
        #expect(await iterator.next().map(name) == "success 4")
        buffer.receive(.progress(received: 1, expected: 2, url: nil), nil)
        buffer.receive(.partial(try TestImages.solid(width: 2)), nil)
        buffer.receive(.failed(WebImageError(.transport, stage: .download)), nil)
        #expect(await iterator.next() == nil)
        #expect(failures.withLock { $0 } == [.transport])
    }

    @Test func phasesReportProgressAndPartialImages() async throws {
        let buffer = EventBuffer()
        var iterator = WebImagePhases.Iterator(events: WebImageEvents.Iterator(buffer: buffer))
        #expect(await iterator.next().map(name) == "loading - -")
        buffer.receive(.progress(received: 1, expected: 4, url: nil), nil)
        #expect(await iterator.next().map(name) == "loading 0.25 -")
        buffer.receive(.partial(try TestImages.solid(width: 3)), nil)
        #expect(await iterator.next().map(name) == "loading 0.25 3")
        buffer.receive(.progress(received: 3, expected: 4, url: nil), nil)
        #expect(await iterator.next().map(name) == "loading 0.75 3")
        buffer.receive(.finished(WebImageResult(image: try TestImages.solid(width: 5), cacheType: .none)), nil)
        #expect(await iterator.next().map(name) == "success 5")
        #expect(await iterator.next() == nil)
    }

    @Test func cancellingTheReaderEndsTheSequenceWithoutAFailure() async throws {
        let phases = fixture.manager.phases(for: request())
        let reader = Task { () -> [String] in
            var names: [String] = []
            for await phase in phases { names.append(name(phase)) }
            return names
        }
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        reader.cancel()
        #expect(await reader.value.allSatisfy { $0.hasPrefix("loading") })
        #expect(await eventually { fixture.loader.cancelCount == 1 })
    }

    @Test(arguments: [(0, 0, nil), (5, -1, nil), (0, 10, 0), (5, 10, 0.5), (20, 10, 1), (-3, 10, 0)])
    func progressIsAFractionOrUnknown(received: Int, expected: Int, part: Double?) {
        #expect(WebImagePhase.progress(received: received, expected: expected) == part)
    }
}
