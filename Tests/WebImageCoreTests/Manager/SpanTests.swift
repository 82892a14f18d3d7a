import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Tests the tracing spans of loads: their IDs, parents, attributes and log records, and the spans of loads that join a
/// shared task.
@Suite(.timeLimit(minutes: 1))
struct SpanTests {
    let fixture: ManagerFixture
    let listener = StageRecorder()

    init() throws {
        fixture = try ManagerFixture()
        fixture.manager.listener = listener
    }

    private func reports(of load: UInt64) -> [WebImageStageReport] {
        listener.reports.filter { $0.span.loadID == load }
    }

    private var loads: [WebImageStageSpan] { listener.spans.filter { $0.stage == .load } }

    private func ended(_ count: Int) async -> Bool {
        await eventually { listener.reports.filter { $0.stage == .load }.count == count }
    }

    @Test func everyStageNamesItsLoad() async throws {
        fixture.answer()
        _ = try await fixture.result([], [.imageTransformer: NamedTransformer()])
        #expect(await ended(1))
        let load = try #require(loads.first)
        #expect(load.parentID == nil && load.id == load.loadID && load.id > 0)
        let parts = listener.spans.filter { $0.stage != .load }
        #expect(parts.count == 7 && parts.allSatisfy { $0.parentID == load.id && $0.loadID == load.id })
        #expect(Set(listener.spans.map(\.id)).count == 8)
        #expect(Set(listener.reports.map(\.span)) == Set(listener.spans))
        #expect(listener.reports.allSatisfy { $0.joinedLoadIDs.isEmpty })
    }

    @Test func spanOfAJoiningLoadNamesTheLoadWhoseWorkItUses() async throws {
        let first = fixture.load()
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        let second = fixture.load()
        #expect(await eventually { fixture.manager.pipeline.variants.subscriberCount { _ in true } == 2 })
        fixture.answer()
        #expect(await first.end()?.image != nil)
        #expect(await second.end()?.image != nil)
        #expect(await ended(2))
        let ids = loads.map(\.id)
        #expect(reports(of: ids[0]).last { $0.stage == .load }?.joinedLoadIDs == [])
        #expect(reports(of: ids[1]).last { $0.stage == .load }?.joinedLoadIDs == [ids[0]])
        #expect(Set(reports(of: ids[1]).map(\.stage)) == [.memory, .load])
    }

    @Test func aThumbnailThatSharesTheDownloadDecodesForItsOwnLoad() async throws {
        let first = fixture.load()
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        let second = fixture.load([], [.imageThumbnailPixelSize: CGSize(width: 2, height: 2)])
        #expect(await eventually { fixture.manager.pipeline.originals.subscriberCount { _ in true } == 2 })
        fixture.answer()
        #expect(await first.end()?.image != nil)
        #expect(await second.end()?.image != nil)
        #expect(await ended(2))
        let ids = loads.map(\.id)
        #expect(reports(of: ids[1]).first { $0.stage == .load }?.joinedLoadIDs == [ids[0]])
        #expect(reports(of: ids[1]).contains { $0.stage == .decode })
        #expect(!reports(of: ids[1]).contains { $0.stage == .download })
        #expect(reports(of: ids[0]).contains { $0.stage == .download })
    }

    @Test func workAfterACancelBelongsToItsLoad() async throws {
        let first = fixture.load()
        #expect(await eventually { !fixture.loader.requests.isEmpty })
        let second = fixture.load()
        #expect(await eventually { fixture.manager.pipeline.variants.subscriberCount { _ in true } == 2 })
        first.operation?.cancel()
        #expect(await first.end()?.error?.isCancellation == true)
        fixture.answer()
        #expect(await second.end()?.image != nil)
        #expect(await eventually { listener.reports.contains { $0.stage == .download } })
        let ids = loads.map(\.id)
        #expect(listener.reports.first { $0.stage == .download }?.span.loadID == ids[0])
        #expect(await eventually { reports(of: ids[1]).contains { $0.stage == .load } })
        #expect(reports(of: ids[1]).first { $0.stage == .load }?.joinedLoadIDs == [ids[0]])
        // The cancelled load reports its end after its completion.
        #expect(await eventually { listener.spans.count == listener.reports.count })
    }

    @Test func aRefreshIsOneLoadThatJoinsNone() async throws {
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 4)]
        fixture.answer(width: 7)
        _ = try await fixture.result(.refreshCached)
        #expect(await ended(1))
        #expect(Set(listener.spans.map(\.loadID)).count == 1)
        #expect(listener.reports.allSatisfy { $0.joinedLoadIDs.isEmpty })
    }

    @Test func reportsHoldSizeFormatAndStatus() async throws {
        fixture.answer(width: 9, height: 5)
        _ = try await fixture.result()
        #expect(await ended(1))
        for stage in [WebImageLoadStage.decode, .load] {
            let report = listener.reports.first { $0.stage == stage }
            #expect(report?.pixelSize == PixelSize(width: 9, height: 5))
            #expect(report?.attributes["webimage.image.width"] == "9")
        }
        let missing = WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 404))
        let other = try #require(URL(string: "http://host/missing.png"))
        fixture.loader.answer(other, with: .failure(missing))
        _ = try? await fixture.manager.image(for: other, context: fixture.context)
        #expect(await ended(2))
        let failed = listener.reports.last { $0.stage == .download }
        #expect(failed?.statusCode == 404 && failed?.attributes["http.response.status_code"] == "404")
        #expect(failed?.attributes["error.type"] == "invalidDownloadStatusCode")
        #expect(listener.reports.last { $0.stage == .load }?.statusCode == nil)
    }

    @Test func attributesHoldNoSecrets() async throws {
        let url = try #require(
            URL(string: "HTTP://user-1:password-1@Host.test:8080/path-1/a.png?token=query-1#fragment-1"))
        fixture.loader.answer(url, with: .success(FakeCoder.file()))
        _ = try await fixture.manager.image(for: url, context: fixture.context)
        #expect(await ended(1))
        let attributes = try #require(listener.reports.last).attributes
        #expect(attributes["server.address"] == "host.test" && attributes["server.port"] == "8080")
        #expect(attributes["url.scheme"] == "http" && attributes["webimage.origin"] == "loader")
        for report in listener.reports {
            let text = "\(report.attributes)\(report.span.attributes)"
            for secret in ["user-1", "password-1", "path-1", "query-1", "fragment-1"] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test func logRecordsCarryTheirMetadata() async throws {
        let records = RecordingLogger()
        fixture.manager.listener = WebImageManagerListeners([listener, WebImageLoadLogger(destination: records)])
        let url = try #require(URL(string: "http://user-1:password-1@host/broken.png?query-1"))
        fixture.loader.answer(url, with: .success(Data("no picture".utf8)))
        _ = try? await fixture.manager.image(for: url, context: fixture.context)
        #expect(await eventually { records.all.contains { $0.metadata["webimage.stage"] == "load" } })
        let load = try #require(records.all.last)
        #expect(load.level == .warning && load.message.contains("host/broken.png?…"))
        #expect(load.metadata["error.type"] == "badImageData" && load.metadata["webimage.load.id"] == "\(loads[0].id)")
        #expect(Double(load.metadata["webimage.duration_ms"] ?? "") ?? -1 >= 0)
        #expect(records.all.dropLast().allSatisfy { $0.level == .debug })
        #expect(!"\(records.all)".contains("password-1") && !"\(records.all)".contains("query-1"))
    }
}

/// A logger that records its entries.
final class RecordingLogger: WebImageLogging {
    struct Record: Sendable {
        var level: WebImageLogLevel
        var message: String
        var metadata: [String: String]
    }

    private let records = Locked<[Record]>([])
    var all: [Record] { records.withLock { $0 } }

    func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
        records.withLock { $0.append(Record(level: level, message: message, metadata: metadata)) }
    }
}
