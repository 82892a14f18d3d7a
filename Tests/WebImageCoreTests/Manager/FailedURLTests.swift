import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

@Suite(.timeLimit(minutes: 1))
struct FailedURLTests {
    let fixture: ManagerFixture
    let time = Locked(ContinuousClock.now)

    init() throws { fixture = try ManagerFixture { [time] in time.withLock { $0 } } }

    private func fail() async {
        fixture.loader.answer(fixture.url, with: .success(Data("rubbish".utf8)))
        _ = try? await fixture.result()
    }

    private func code(_ options: WebImageOptions = [], _ more: WebImageContext = [:]) async -> WebImageError.Code? {
        do {
            _ = try await fixture.result(options, more)
            return nil
        } catch { return (error as? WebImageError)?.code }
    }

    @Test func rememberedFailureKeepsItsReason() async throws {
        await fail()
        #expect(fixture.manager.failure(of: fixture.url)?.code == .badImageData)
        await #expect { try await fixture.result() } throws: { error in
            guard let error = error as? WebImageError else { return false }
            return error.code == .blackListed && error.underlying != nil && error.hint?.contains("retryFailed") == true
        }
    }

    @Test func aURLRemovedFromTheFailedOnesIsLoadedAgain() async throws {
        await fail()
        fixture.manager.removeFailedURL(nil)
        #expect(await code() == .blackListed)
        fixture.manager.removeFailedURL(fixture.url)
        fixture.answer()
        #expect(await code() == nil)
        await failAgain()
        fixture.manager.removeAllFailedURLs()
        #expect(fixture.manager.failure(of: fixture.url) == nil)
    }

    private func failAgain() async {
        fixture.loader.answer(fixture.url, with: .success(Data("rubbish".utf8)))
        _ = try? await fixture.result(.fromLoaderOnly)
    }

    @Test func rememberedFailureExpires() async throws {
        fixture.manager.failedURLLifetime = .seconds(60)
        await fail()
        #expect(await code() == .blackListed)
        time.withLock { $0 += .seconds(59) }
        #expect(await code() == .blackListed)
        time.withLock { $0 += .seconds(1) }
        fixture.answer()
        #expect(await code() == nil)
    }

    @Test func aRetryThatSucceedsForgetsTheFailure() async throws {
        await fail()
        fixture.answer()
        #expect(await code(.retryFailed) == nil)
        #expect(fixture.manager.failure(of: fixture.url) == nil)
    }

    @Test func scopesOfOneURLCountForTheCapacity() {
        var failed = FailedURLs()
        let error = WebImageError(.badImageData, stage: .decode)
        for number in 0...FailedURLs.capacity {
            failed.insert(fixture.url, in: .scoped("\(number)"), error, for: nil, at: .now)
        }
        #expect(failed.count == FailedURLs.capacity / 2 + 1)
        failed.remove(fixture.url)
        #expect(failed.count == 0 && failed.isEmpty)
    }

    @Test func repeatedFailureRemovesNoOther() throws {
        var failed = FailedURLs()
        let error = WebImageError(.badImageData, stage: .decode)
        let urls = try (0..<FailedURLs.capacity).map { try #require(URL(string: "http://host/\($0)")) }
        for url in urls { failed.insert(url, in: .shared, error, for: nil, at: .now) }
        failed.insert(urls[0], in: .shared, error, for: nil, at: .now)
        #expect(failed.count == FailedURLs.capacity)
        failed.remove(urls[0], in: .shared)
        #expect(failed.count == FailedURLs.capacity - 1 && failed.reason(urls[0], in: .shared, at: .now) == nil)
    }

    @Test func failureInOneScopeBlocksNoOther() async throws {
        fixture.loader.answer(fixture.url, with: .success(Data("rubbish".utf8)))
        #expect(await code([], [.cacheScope: "ada"]) == .badImageData)
        #expect(await code([], [.cacheScope: "ada"]) == .blackListed)
        #expect(await code([], [.cacheScope: "bob"]) == .badImageData)
    }

    @Test func cancelsAndTransportFailuresAreNotRemembered() async throws {
        fixture.loader.answer(fixture.url, with: .failure(WebImageError(.transport, stage: .download)))
        #expect(await code() == .transport)
        #expect(fixture.manager.failure(of: fixture.url) == nil)
    }

    @Test(arguments: [
        (404, true), (410, true), (451, true), (408, false), (425, false), (429, false), (500, false), (503, false),
    ]) func statusDecidesWhetherAURLIsRememberedAsFailed(_ status: Int, _ isCondemned: Bool) {
        let error = WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: status))
        #expect(error.shouldBlockURL == isCondemned)
    }

    @Test func theDelegateDecidesInsteadOfTheLoader() async throws {
        let delegate = Delegate(blocks: false)
        fixture.manager.delegate = delegate
        await fail()
        #expect(fixture.manager.failure(of: fixture.url) == nil && delegate.asked == 1)
        let silent = SilentDelegate()
        fixture.manager.delegate = silent
        await fail()
        #expect(fixture.manager.failure(of: fixture.url) != nil)
        withExtendedLifetime(silent) {}
    }

    @Test func theDelegateMayForbidADownload() async throws {
        let delegate = Delegate(downloads: false)
        fixture.manager.delegate = delegate
        let load = fixture.load()
        let end = await load.end()
        #expect(end != nil && end?.image == nil && end?.error == nil && fixture.loader.requests.isEmpty)
        #expect(await code() == .notCached)
        fixture.cache.disk = [fixture.key: FakeCoder.file()]
        #expect(await code() == nil)
        #expect(await code(.refreshCached) == nil)
    }

    @Test func theDelegateIsHeldWeakly() async throws {
        var delegate: Delegate? = Delegate(downloads: false)
        fixture.manager.delegate = delegate
        #expect(fixture.manager.delegate === delegate)
        delegate = nil
        #expect(fixture.manager.delegate == nil)
    }
}

private final class Delegate: WebImageManagerDelegate {
    private let blocks: Bool
    private let downloads: Bool
    private let count = Locked(0)
    var asked: Int { count.withLock { $0 } }

    init(blocks: Bool = true, downloads: Bool = true) {
        self.blocks = blocks
        self.downloads = downloads
    }

    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { downloads }
    func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        count.withLock { $0 += 1 }
        return blocks
    }
}

private final class SilentDelegate: WebImageManagerDelegate {}
