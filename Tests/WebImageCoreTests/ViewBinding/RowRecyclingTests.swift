import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting
import WebImageViews

@Suite("Recycled rows", .timeLimit(minutes: 1))
@MainActor struct RowRecyclingTests {
    /// One row loads 1,000 URLs one after another. The results arrive in random order. Some results are late, partial
    /// or failed, and some never arrive.
    @Test(arguments: 1...4)
    func recycledRowNeverShowsTheImageOfAnotherURL(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let view = ViewFixture()
        let placeholder = try ViewFixture.image()
        var owner: [ObjectIdentifier: Int] = [:]
        var kept: [Image] = []
        func image(of number: Int) throws -> Image {
            let image = try ViewFixture.image()
            owner[ObjectIdentifier(image)] = number
            kept.append(image)
            return image
        }
        var numbers: [URL: Int] = [:]
        // The row can show the image of load `oldest` or of a newer load, but no older image. A load with
        // `.avoidAutoCancelImage` does not cancel older loads. Such an older load can show its image until a newer
        // load has shown an image.
        var (wrong, oldest) = (0, 0)
        var answers: [Int: Int] = [:]
        for number in 1...1000 {
            let url = try ViewFixture.url(number)
            let isHit = Bool.random(using: &random)
            numbers[url] = number
            if isHit { view.loader.remember(try image(of: number), for: url) }
            let kinds = [[], .progressiveLoad, .delayPlaceholder, .refreshCached] as [WebImageOptions]
            var options = kinds.randomElement(using: &random) ?? []
            if Int.random(in: 0..<3, using: &random) == 0 {
                options.insert(.avoidAutoCancelImage)
            } else {
                oldest = number
            }
            view.load(url, placeholder: placeholder, options)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                guard let load = view.loader.loads.suffix(6).randomElement(using: &random),
                    let asked = load.url.flatMap({ numbers[$0] })
                else { continue }
                switch Int.random(in: 0...4, using: &random) {
                case 0: load.deliver(nil, error: WebImageError(.transport, stage: .download))
                case 1: load.deliver(try image(of: asked), finished: false)
                case 2: view.binding.cancelImageLoad()
                default:
                    // A load with `.refreshCached` delivers at most two images: the cached image and the new image.
                    if load.options.contains(.refreshCached), answers[asked, default: 0] == 2 { continue }
                    answers[asked, default: 0] += 1
                    load.deliver(try image(of: asked))
                }
            }
            for picture in view.shown.compactMap({ $0.flatMap { owner[ObjectIdentifier($0)] } }) {
                if picture < oldest || picture > number { wrong += 1 }
                oldest = max(oldest, picture)
            }
            view.shown.removeAll()
        }
        view.binding.cancelAll()
        #expect(wrong == 0)
        let completions = Dictionary(grouping: view.completions, by: \.url).values
        #expect(completions.count == 1000)
        // Every load completes once. Only a load with `.refreshCached` can complete a second time. If a load completes
        // twice, no completion has the code `.cancelled`.
        #expect(completions.allSatisfy { $0.count == 1 || ($0.count == 2 && !$0.contains { $0.code == .cancelled }) })
    }
}
