import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Tests a view that shows an animation while the file arrives. The view plays the received frames. The complete
    /// animation then continues at the current frame.
    @Suite("Arriving animation in a view") @MainActor struct ArrivingAnimationViewTests {
        let link = ManualDisplayLink()

        init() throws { try Display.open() }

        private func file(seed: Int = 0) throws -> Data {
            let frames = try (0..<6).map { index in
                let image = try Image.generated(width: 24, height: 24) { x, y in
                    let mixed = (x &* 73_856_093) ^ (y &* 19_349_663) ^ ((index + 1 + seed) &* 83_492_791)
                    return (UInt8((mixed >> 5 ^ mixed >> 11) & 7) * 32, UInt8(index * 40), 0, 255)
                }
                return ImageFrame(image: image, duration: 0.1)
            }
            return try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .gif, options: EncodingOptions())
        }

        @Test(.tags(.x6))
        func completeAnimationContinuesAtTheFrameOfThePartialOne() async throws {
            let (file, other) = (try file(), try file(seed: 50))
            let coder = try #require(try ImageCodersManager.shared.animation(of: file, options: .init()))
            let arriving = ArrivingAnimation(coder: coder, options: .init())
            arriving.update(file.prefix(file.count * 2 / 3))
            let preview = try #require(AnimatedImage(animatedCoder: arriving, scale: 1))
            preview.isIncremental = true
            let last = arriving.animatedImageFrameCount - 1
            try #require(last >= 2 && last < 5)

            let view = AnimatedImageView(displayLink: { [link] _ in link })
            let window = try await TestWindow(view.widget, width: 24, height: 24)
            defer { window.close() }
            view.image = preview
            let player = try #require(view.player)
            let isParked = try await pump {
                link.tick(0.1)
                return view.currentFrame != nil && view.currentFrameIndex == last
            }
            #expect(isParked)
            view.image = try #require(AnimatedImage(data: file) as AnimatedImage?)
            #expect(view.player === player && view.currentFrameIndex == last && player.totalFrameCount == 6)
            let isOver = try await pump {
                link.tick(0.05)
                return view.currentLoopCount >= 1
            }
            #expect(isOver)
            // Another animation starts from its first frame.
            view.image = try #require(AnimatedImage(data: other) as AnimatedImage?)
            #expect(view.player !== player && view.currentFrameIndex == 0)
        }

        enum LoadEnd: CaseIterable {
            case failure, cancel
        }

        /// If the view waited for the next frame, its window would draw frames for ever.
        @Test(arguments: LoadEnd.allCases)
        func animationWhoseLoadFailsPlaysTheFramesThatHaveArrived(_ end: LoadEnd) async throws {
            let loader = ControlledViewLoader()
            let view = AnimatedImageView(displayLink: { [link] _ in link })
            let window = try await TestWindow(view.widget, width: 24, height: 24)
            defer { window.close() }
            for (index, seed) in [0, 50].enumerated() {
                let file = try file(seed: seed)
                let coder = try #require(try ImageCodersManager.shared.animation(of: file, options: .init()))
                let arriving = ArrivingAnimation(coder: coder, options: .init())
                arriving.update(file.prefix(file.count * 2 / 3))
                let preview = try #require(AnimatedImage(animatedCoder: arriving, scale: 1))
                preview.isIncremental = true
                view.setImage(
                    with: URL(fileURLWithPath: "/\(seed).gif"), options: .progressiveLoad,
                    context: [.customManager: loader, .thumbnail: ViewThumbnail.fullSize])
                loader.loads[index].deliver(preview, finished: false)
                #expect(view.player?.awaitsMoreFrames == true)
                switch end {
                case .failure: loader.loads[index].deliver(nil, error: WebImageError(.transport, stage: .download))
                case .cancel: view.cancelCurrentImageLoad()
                }
                #expect(view.image === preview && view.player?.awaitsMoreFrames == false)
                let isRepeated = try await pump {
                    link.tick(0.1)
                    return view.currentLoopCount >= 2
                }
                #expect(isRepeated)
            }
        }
    }
}
