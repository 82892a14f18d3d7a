import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// The manager calls its delegate through this package's protocol. A delegate that implements SDWebImage's protocol
/// must receive these calls.
@Suite(.timeLimit(minutes: 1)) struct DelegateBridgingTests {
    private final class Judge: SDWebImageManagerDelegate {
        let heard: Heard
        let verdict: Bool
        init(_ verdict: Bool, _ heard: Heard) { (self.verdict, self.heard) = (verdict, heard) }

        func imageManager(
            _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
        ) -> Bool {
            heard.set(error as NSError)
            return verdict
        }
    }

    private final class Silent: SDWebImageManagerDelegate {}

    private final class Heard: @unchecked Sendable {
        // Unchecked is safe because the error is used only under the lock.
        private let lock = NSLock()
        private var error: NSError?
        func set(_ error: NSError) { lock.withLock { self.error = error } }
        var code: Int? { lock.withLock { error?.code } }
    }

    private let loader = FakeDataLoader()
    private let manager: SDWebImageManager
    private let scratch: ScratchFolder
    private let url = URL(fileURLWithPath: "/picture.png")

    init() throws {
        scratch = try ScratchFolder()
        manager = SDWebImageManager(
            cache: SDImageCache(namespace: "names", diskCacheDirectory: scratch.path), loader: loader)
    }

    private func load() async -> Int? {
        let (manager, url) = (manager, url)
        return await withCheckedContinuation { done in
            manager.loadImage(with: url) { _, _, error, _, _, _ in
                done.resume(returning: (error as NSError?)?.code)
            }
        }
    }

    @Test(arguments: [true, false]) func delegateDecisionsApplyAndFailuresAreNSErrors(verdict: Bool) async {
        let heard = Heard()
        let judge = Judge(verdict, heard)
        manager.delegate = judge
        loader.answer(url, with: .failure(WebImageError(.transport, stage: .download)))
        #expect(await load() == -1 && heard.code == -1)
        #expect(await load() == (verdict ? SDWebImageError.blackListed.rawValue : -1))
        #expect(manager.delegate === judge)
    }

    @Test func loaderDecidesWhenTheDelegateImplementsNothing() async {
        let silent = Silent()
        manager.delegate = silent
        loader.answer(url, with: .success(Data("no picture".utf8)))
        #expect(await load() == SDWebImageError.badImageData.rawValue)
        #expect(await load() == SDWebImageError.blackListed.rawValue)
        withExtendedLifetime(silent) {}
    }

    @Test func delegatesAreHeldWeakly() async {
        manager.delegate = Silent()
        #expect(manager.delegate == nil)
        loader.answer(url, with: .failure(WebImageError(.transport, stage: .download)))
        #expect(await load() == -1)
        let judge = Silent()
        manager.delegate = judge
        manager.delegate = nil
        #expect(manager.delegate == nil)
        withExtendedLifetime(judge) {}
    }
}
