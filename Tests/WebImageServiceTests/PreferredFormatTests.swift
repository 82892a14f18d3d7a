import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// AVIF is preferred, but an answer does not depend on it: a picture that cannot be sent as AVIF in time, or not at all, is
/// sent in another format.
@Suite(.timeLimit(minutes: 1))
struct PreferredFormatTests {
    /// "Encodes" AVIF: counts the calls, and fails with an error if there is one.
    private final class FakeAVIFCoder: ImageCoder {
        private let count = Locked(0)
        private let failure: WebImageError?

        init(_ failure: WebImageError? = nil) { self.failure = failure }

        var encodeCount: Int { count.withLock { $0 } }

        func canDecode(from data: Data) -> Bool { false }
        func canEncode(to format: ImageFormat) -> Bool { format == .avif }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "not readable")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            throw .badData("fake", "not readable")
        }
        func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
            count.withLock { $0 += 1 }
            if let failure { throw failure }
            return Data("avif".utf8)
        }
    }

    private static let accept: ServiceHeaders = ["Accept": "image/avif,image/webp"]

    private func bench(
        _ coder: FakeAVIFCoder, budget: Int, _ configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws -> ServiceBench {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [coder])
        return try ServiceBench(coders: coders) {
            ($0.offersAVIF, $0.avifBudget) = (true, budget)
            configure(&$0)
        }
    }

    /// Nothing holds the result: it would be encoded at each request, and each time too late.
    @Test(arguments: ["rule", "private source", "no caches"])
    func lateAVIFThatNothingHoldsIsNotEncodedAtEachRequest(why: String) async throws {
        let coder = FakeAVIFCoder()
        let bench = try bench(coder, budget: 0) {
            if why == "rule" { $0.storeRules = ["results none"] }
            if why == "no caches" { ($0.resultMemoryBytes, $0.resultCacheBytes) = (0, 0) }
        }
        if why == "private source" {
            bench.server.answer(ServiceBench.url, try PictureFixtures.quadrants(), ["cache-control": "private"])
        }
        func next() async -> ServiceResponse {
            let response = await bench.picture("w:40", Self.accept)
            await bench.service.provider.background.finish()
            return response
        }
        let first = await next()
        #expect(first.headers["Content-Type"] == "image/webp" && coder.encodeCount == 1)
        // The work in the background may end before this answer is made. Then it is known that no better answer follows.
        let isKnown = first.headers["Cache-Control"]?.hasPrefix("public, max-age=86400") == true
        #expect(why == "private source" || isKnown || first.headers["Cache-Control"] == "public, max-age=60")
        for _ in 0..<3 {
            let response = await next()
            #expect(response.headers["Content-Type"] == "image/webp" && response.status == 200)
            // No better answer follows, so this one has its whole lifetime.
            if why != "private source" {
                #expect(response.headers["Cache-Control"]?.hasPrefix("public, max-age=86400") == true)
            }
        }
        #expect(coder.encodeCount == 1)
        // The machine may be less busy later.
        bench.clock.advance(by: .seconds(601))
        _ = await next()
        #expect(coder.encodeCount == 2)
    }

    /// AVIF encoders refuse sides below 16 px. The client gets the next format that it accepts.
    @Test(arguments: [
        ("image/avif,image/webp", "image/webp"), ("image/webp,image/avif", "image/webp"), ("image/avif", "image/jpeg"),
    ])
    func smallResultHasTheNextAcceptedFormat(accept: String, type: String) async throws {
        let coder = FakeAVIFCoder()
        let bench = try bench(coder, budget: 60_000)
        #expect(await bench.picture("w:15", ["Accept": accept]).headers["Content-Type"] == type)
        #expect(coder.encodeCount == 0)
    }

    @Test func lateAVIFThatACacheHoldsIsSentNextTime() async throws {
        let coder = FakeAVIFCoder()
        let bench = try bench(coder, budget: 0) { $0.storeRules = ["results disk"] }
        let first = await bench.picture("w:40", Self.accept)
        #expect(first.headers["Content-Type"] == "image/webp" && first.headers["Cache-Control"] == "public, max-age=60")
        await bench.service.provider.background.finish()
        #expect(await bench.picture("w:40", Self.accept).headers["Content-Type"] == "image/avif")
        #expect(coder.encodeCount == 1)
    }

    /// The operator has decided that nothing is stored. AVIF that comes in time is sent.
    @Test func timelyAVIFIsSentAlthoughNothingHoldsIt() async throws {
        let coder = FakeAVIFCoder()
        let bench = try bench(coder, budget: 60_000) { $0.storeRules = ["results none"] }
        for _ in 0..<2 {
            #expect(await bench.picture("w:40", Self.accept).headers["Content-Type"] == "image/avif")
        }
    }

    private static let failures = [
        WebImageError.limit(.decodeTime, actual: 9, allowed: 8), WebImageError(.encodingFailed, stage: .encode),
    ]

    /// The target names no format, so the client that accepts AVIF receives what all others receive.
    @Test(arguments: failures) func pictureThatIsTooExpensiveAsAVIFIsSentInAnotherFormat(failure: WebImageError)
        async throws
    {
        let coder = FakeAVIFCoder(failure)
        let bench = try bench(coder, budget: 60_000)
        for accept in ["image/avif,image/webp", "image/avif"] {
            for _ in 0..<2 {
                let response = await bench.picture("w:40", ["Accept": accept])
                #expect(response.status == 200, "\(accept): \(response.text)")
                let format = accept.contains("webp") ? "image/webp" : "image/png"
                #expect(response.headers["Content-Type"] == format && response.headers["Vary"] == "Accept")
            }
        }
        #expect(await bench.picture("w:40/f:avif").status != 200)
    }

    @Test func failureOfTheSourceIsNoFailureOfTheFormat() async throws {
        let bench = try bench(FakeAVIFCoder(), budget: 60_000)
        bench.server.fail(
            ServiceBench.url,
            WebImageError(.transport, stage: .download, underlying: .curl(code: 7, message: "connection refused")))
        let response = await bench.picture("w:40", Self.accept)
        #expect(response.status == 502 && bench.server.fetchCount == 1)
    }
}
