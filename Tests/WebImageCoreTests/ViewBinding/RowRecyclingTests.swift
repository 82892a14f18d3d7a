import Foundation
import Testing
import WebImageCore
import WebImageTesting

@Suite("Recycled rows", .timeLimit(.minutes(1)))
@MainActor struct RowRecyclingTests {
    /// One row, 1000 URLs; answers of any of its loads come in any order, late, partial, failed, or not at all.
    @Test(arguments: 1...4)
    func rowNeverShowsAPictureOfAnotherURL(seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        let view = ViewFixture()
        let placeholder = try ViewFixture.image()
        var owner: [ObjectIdentifier: URL] = [:]
        var kept: [Image] = []
        func image(of url: URL) throws -> Image {
            let image = try ViewFixture.image()
            owner[ObjectIdentifier(image)] = url
            kept.append(image)
            return image
        }
        var wrong = 0
        for number in 1...1000 {
            let url = try ViewFixture.url(number)
            let isHit = Bool.random(using: &random)
            if isHit { view.loader.remember(try image(of: url), for: url) }
            let options = [[], .progressiveLoad, .delayPlaceholder, .refreshCached] as [WebImageOptions]
            view.load(url, placeholder: placeholder, options.randomElement(using: &random) ?? [])
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                guard let load = view.loader.loads.suffix(6).randomElement(using: &random), let asked = load.url
                else { continue }
                switch Int.random(in: 0...4, using: &random) {
                case 0: load.deliver(nil, error: WebImageError(.transport, stage: .download))
                case 1: load.deliver(try image(of: asked), finished: false)
                case 2: view.binding.cancelImageLoad()
                default: load.deliver(try image(of: asked))
                }
            }
            let pictures = view.shown.compactMap { $0.flatMap { owner[ObjectIdentifier($0)] } }
            wrong += pictures.count { $0 != url }
            view.shown.removeAll()
        }
        view.binding.cancelAll()
        #expect(wrong == 0)
        let completions = Dictionary(grouping: view.completions, by: \.url).values
        #expect(completions.count == 1000)
        // Only `.refreshCached` may complete twice, and never by a cancel; everything else exactly once.
        #expect(completions.allSatisfy { $0.count == 1 || ($0.count == 2 && !$0.contains { $0.code == .cancelled }) })
    }
}

/// SplitMix64: the same choices in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
