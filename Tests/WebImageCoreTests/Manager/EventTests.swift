import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

@Suite(.timeLimit(minutes: 1))
struct EventTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    private func names(_ options: WebImageOptions = []) async throws -> [String] {
        var names: [String] = []
        for try await event in fixture.manager.events(for: fixture.url, options: options, context: fixture.context) {
            switch event {
            case .size: names.append("size")
            case .progress: names.append("progress")
            case .partial: names.append("partial")
            case .cached(let result): names.append("cached \(result.image.pixelSize.width)")
            case .finished(let result): names.append("finished \(result.image.pixelSize.width)")
            }
        }
        return names
    }

    @Test func aMemoryHitIsASizeAndAnEnd() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(width: 6), forKey: fixture.key)
        #expect(try await names() == ["size", "finished 6"])
    }

    @Test func aRefreshMarksTheCachedImage() async throws {
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 4)]
        fixture.answer(width: 7)
        #expect(try await names(.refreshCached) == ["size", "cached 4", "finished 7"])
        #expect(try await names(.refreshCached) == ["size", "cached 7", "finished 7"])
    }

    @Test func aMissThatMayNotBeFetchedThrows() async throws {
        await #expect { try await names(.fromCacheOnly) } throws: { ($0 as? WebImageError)?.code == .notCached }
    }

    @Test func outdatedProgressEventsAreDropped() async throws {
        let buffer = EventBuffer()
        for received in 0..<1000 {
            buffer.receive(.progress(received: received, expected: 1000, url: nil), nil)
        }
        buffer.receive(.finished(WebImageResult(image: try TestImages.solid(), cacheType: .none)), nil)
        var count = 0
        while let event = try await buffer.next() {
            count += 1
            if case .progress(let received, _) = event { #expect(received == 999) }
        }
        #expect(count == 3)
    }

    @Test func leavingTheLoopCancelsTheLoad() async throws {
        let events = fixture.manager.events(for: fixture.url, context: fixture.context)
        let reader = Task { for try await _ in events {} }
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        reader.cancel()
        await #expect(throws: WebImageError.self) { try await reader.value }
        #expect(await eventually { fixture.loader.cancelCount == 1 && fixture.manager.sharedTaskCount == 0 })
    }

    @Test func releasingTheIteratorCancelsTheLoad() async throws {
        do {
            let iterator = fixture.manager.events(for: fixture.url, context: fixture.context).makeAsyncIterator()
            #expect(await eventually { !fixture.loader.requests.isEmpty })
            withExtendedLifetime(iterator) {}
        }
        #expect(await eventually { fixture.loader.cancelCount == 1 && fixture.manager.sharedTaskCount == 0 })
    }
}

@Suite(.timeLimit(minutes: 1))
struct ListenerTests {
    let fixture: ManagerFixture
    let listener = StageRecorder()

    init() throws {
        fixture = try ManagerFixture()
        fixture.manager.listener = listener
    }

    @Test func everyStageBeginsAndEndsOnceInOrder() async throws {
        fixture.answer()
        _ = try await fixture.result([], [.imageTransformer: NamedTransformer()])
        #expect(await eventually { listener.ended.contains(.load) })
        let expected: [WebImageLoadStage] = [.memory, .disk, .disk, .download, .decode, .transform, .store, .load]
        #expect(listener.ended == expected)
        #expect(listener.begun.sorted { $0.rawValue < $1.rawValue } == expected.sorted { $0.rawValue < $1.rawValue })
        let reports = listener.reports
        #expect(reports.first { $0.stage == .download }?.byteCount == FakeCoder.file().count)
        #expect(reports.first { $0.stage == .decode }?.byteCount ?? 0 > 0)
        #expect(reports.last?.origin == ImageCacheType.none && reports.allSatisfy { $0.duration >= .zero })
    }

    @Test func aMemoryHitIsTold() throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        _ = fixture.load()
        #expect(listener.ended == [.memory, .load] && listener.reports.allSatisfy { $0.origin == .memory })
    }

    @Test func failureIsAnEvent() async throws {
        fixture.loader.answer(fixture.url, with: .failure(WebImageError(.transport, stage: .download)))
        _ = try? await fixture.result()
        #expect(await eventually { listener.ended.contains(.load) })
        #expect(listener.reports.filter { $0.error != nil }.map(\.stage) == [.download, .load])
    }
}

final class StageRecorder: WebImageManagerListener {
    private let state = Locked((spans: [WebImageStageSpan](), reports: [WebImageStageReport]()))

    var spans: [WebImageStageSpan] { state.withLock { $0.spans } }
    var begun: [WebImageLoadStage] { spans.map(\.stage) }
    var reports: [WebImageStageReport] { state.withLock { $0.reports } }
    var ended: [WebImageLoadStage] { reports.map(\.stage) }

    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
        state.withLock { $0.spans.append(span) }
    }

    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        state.withLock { $0.reports.append(report) }
    }
}
