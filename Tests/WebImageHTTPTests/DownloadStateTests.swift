import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting

@testable import WebImageHTTP

/// Tests `DownloadState` with random sequences of events. This type makes the decisions of one download. The tests
/// use no transfer, no clock and no thread.
struct DownloadStateTests {
    private static let url = URL(string: "https://example.test/a.png")!
    private static let folder = FileManager.default.temporaryDirectory.path

    private static func state(
        isResumable: Bool = true, hasModifier: Bool = false, validators: DownloadValidators = .none,
        maxRedirects: Int = 3
    ) -> DownloadState {
        var members = CurlRoute.Members()
        members.maxRedirects = maxRedirects
        return DownloadState(
            DownloadState.Rules(
                url: url, isResumable: isResumable,
                storage: ReceivedBody.Storage(maxBytesInMemory: 1 << 20, folder: folder, blocks: BodyBlockPool()),
                acceptance: ResponseAcceptance(), hasResponseModifier: hasModifier, hasDecryptor: false),
            transfer: WebImageDownloaderJob(WebImageRequest(url: url), route: CurlRoute(members)),
            validators: validators)
    }

    private static func head(_ status: Int, _ fields: [String: String] = [:], length: Int? = 100) -> WebImageResponse {
        WebImageResponse(url: url, statusCode: status, allHeaderFields: fields, expectedContentLength: length)
    }

    private static func append(_ bytes: [UInt8], to body: ReceivedBody?) {
        bytes.withUnsafeBytes { try? body?.append($0) }
    }

    /// Sends random events to a `DownloadState` and performs the actions that the state returns. The downloader
    /// uses the state in the same way.
    private struct Run {
        var state: DownloadState
        var random: SeededRandom
        var current = 0
        var legs = 0
        var restarts = 0
        var hops = 0
        var finishes = 0
        var isOver = false
        var generation = 0
        var delivered: [Int: ReceivedBody] = [:]

        mutating func begin() {
            guard let leg = state.beginLeg(now: .zero, date: 0) else {
                #expect(isOver, "a download that is not over begins no leg")
                return
            }
            #expect(!isOver, "a leg begins after the end")
            #expect(leg.number > current)
            (current, legs) = (leg.number, legs + 1)
        }

        mutating func receiveHead() {
            let heads = [
                head(200), head(200, ["etag": "\"1\""]), head(206, ["content-range": "bytes 5-99/100"]), head(404),
                head(503, ["retry-after": "1"]), head(301, ["location": "https://other.test/b"]),
                head(302, ["location": "/c"]), head(304),
            ]
            guard let chosen = heads.randomElement(using: &random) else { return }
            let stale = Int.random(in: 0..<6, using: &random) == 0
            let decision = state.receive(chosen, leg: stale ? current + 7 : current)
            if stale, case .stop(let error) = decision { #expect(error.code == .cancelled) } else { #expect(!stale) }
            if case .accept = decision { #expect(state.body(of: current) != nil) }
            checkGeneration()
        }

        mutating func receiveBytes() {
            append(Array(repeating: 1, count: Int.random(in: 1..<40, using: &random)), to: state.body(of: current))
            checkGeneration()
        }

        /// Checks that two bodies never have the same generation number. Subscribers receive the bytes of one
        /// generation. If two bodies had the same number, subscribers would receive a mix of both bodies.
        mutating func checkGeneration() {
            #expect(state.generation >= generation)
            generation = state.generation
            guard let body = state.body, body.count > 0 else { return }
            if let known = delivered[generation] { #expect(known === body) }
            delivered[generation] = body
        }

        mutating func end() {
            let isSuccess = Bool.random(using: &random)
            let number = current
            switch state.didEnd(leg: number, isSuccess: isSuccess) {
            case .ignore: return
            case .succeed: finish()
            case .conclude: conclude(number, isSuccess ? nil : .emptyBody(url))
            }
            if case .ignore = state.didEnd(leg: number, isSuccess: true) {} else { Issue.record("a leg ends twice") }
        }

        mutating func conclude(_ number: Int, _ failure: WebImageError?) {
            switch state.conclude(leg: number, failure) {
            case .ignore: break
            case .modify: finish()
            case .restart:
                restarts += 1
                begin()
            case .follow(let redirect):
                hops += 1
                if state.follow(redirect, date: 0) != nil { finish() } else { begin() }
                #expect(state.redirects.count <= 3)
            case .fail: if Bool.random(using: &random), state.pause() { retry() } else { finish() }
            }
        }

        mutating func retry() {
            if case .beginLeg = state.start(hasStore: true) { begin() } else { Issue.record("no leg after a pause") }
        }

        mutating func finish() {
            if state.finish() { finishes += 1 }
            isOver = true
            let endsAgain = state.finish()
            #expect(!endsAgain, "a download ends twice")
        }
    }

    @Test(arguments: 0..<60)
    func everySequenceOfEventsEndsOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let isResumable = Bool.random(using: &random)
        let validators = DownloadValidators(
            fields: Bool.random(using: &random) ? ["If-None-Match": "\"1\""] : [:])
        var run = Run(
            state: Self.state(
                isResumable: isResumable, hasModifier: Bool.random(using: &random), validators: validators),
            random: random)
        switch run.state.start(hasStore: true) {
        case .loadPrefix: run.state.didLoad(nil)
        case .beginLeg: #expect(!isResumable)
        case .nothing: Issue.record("the first slot starts nothing")
        }
        run.begin()
        for _ in 0..<80 {
            switch Int.random(in: 0..<8, using: &run.random) {
            case 0: run.end()
            case 1...2: run.receiveHead()
            case 3...6: run.receiveBytes()
            default:
                if Int.random(in: 0..<20, using: &run.random) == 0 {
                    let isFirst = run.state.cancel()
                    #expect(isFirst == !run.isOver)
                    run.isOver = true
                    run.state.clear()
                }
            }
        }
        #expect(run.state.attempts == run.legs - run.hops - run.restarts || run.isOver, "seed \(seed)")
        #expect(run.finishes <= 1 && run.state.isOver == run.isOver, "seed \(seed)")
        let next = run.state.beginLeg(now: .zero, date: 0)
        #expect((next == nil) == run.isOver)
    }

    @Test func brokenBodyIsResumedAndAWrongRangeIsFetchedWhole() throws {
        var state = Self.state()
        _ = state.start(hasStore: false)
        let begun = state.beginLeg(now: .zero, date: 0)
        let first = try #require(begun)
        _ = state.receive(Self.head(200, ["etag": "\"1\""]), leg: first.number)
        Self.append([1, 2, 3], to: state.body(of: first.number))
        _ = state.didEnd(leg: first.number, isSuccess: false)
        let pauses = state.pause()
        #expect(pauses)
        let second = state.beginLeg(now: .zero, date: 0)
        #expect(second?.transfer.request.value(forHTTPHeaderField: "Range") == "bytes=3-")
        _ = state.receive(Self.head(206, ["content-range": "bytes 50-99/100"]), leg: second?.number ?? 0)
        _ = state.didEnd(leg: second?.number ?? 0, isSuccess: false)
        if case .restart = state.conclude(leg: second?.number ?? 0, .cancelled) {} else { Issue.record("no restart") }
        let third = state.beginLeg(now: .zero, date: 0)
        #expect(third?.transfer.request.value(forHTTPHeaderField: "Range") == nil)
        #expect(state.attempts == 2)
    }

    @Test func anotherOriginReceivesNoValidatorsAndTheLimitOfRedirectsHolds() throws {
        var state = Self.state(validators: DownloadValidators(fields: ["If-None-Match": "\"1\""]), maxRedirects: 1)
        for hop in 0..<2 {
            let begun = state.beginLeg(now: .zero, date: 0)
            let leg = try #require(begun)
            #expect((leg.transfer.request.value(forHTTPHeaderField: "If-None-Match") == nil) == (hop == 1))
            _ = state.receive(Self.head(302, ["location": "https://other\(hop).test/"]), leg: leg.number)
            _ = state.didEnd(leg: leg.number, isSuccess: true)
            guard case .follow(let redirect) = state.conclude(leg: leg.number, nil) else {
                Issue.record("the redirect is not followed")
                return
            }
            let refusal = state.follow(redirect, date: 0)
            #expect((refusal == nil) == (hop == 0))
        }
    }

    @Test func progressReportIsScheduledOnceAndUnchangedProgressReachesOnlyNewSubscribers() {
        var progressListeners = ProgressListeners<Int>()
        let (nobody, first) = (progressListeners.schedule(hasNewBytes: true), add(1, to: &progressListeners))
        let again = progressListeners.schedule(hasNewBytes: true)
        let toFirst = progressListeners.takeReport { _ in false }
        #expect(!nobody && first && !again && toFirst == [1])
        let second = add(2, to: &progressListeners)
        let toNewcomer = progressListeners.takeReport { _ in false }
        #expect(second && toNewcomer == [2])
        let news = progressListeners.schedule(hasNewBytes: true)
        let toTheRest = progressListeners.takeReport { $0 == 1 }
        #expect(news && toTheRest == [2])
    }

    private func add(_ listener: Int, to progressListeners: inout ProgressListeners<Int>) -> Bool {
        progressListeners.add(listener)
        return progressListeners.schedule(hasNewBytes: false)
    }
}
