import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Tests the acceptance list for views with the names of this package.
    @Suite("View promises") @MainActor struct ViewPromiseTests {
        let loader = ControlledViewLoader()
        let url = URL(fileURLWithPath: "/a.png")
        let red: [UInt8] = [0, 0, 255, 255]
        let blue: [UInt8] = [255, 0, 0, 255]

        init() throws { try Display.open() }

        private var context: WebImageContext { [.customManager: loader] }

        private func plain(_ color: [UInt8], width: Int = 20, height: Int = 20) throws -> Image {
            try Image.generated(width: width, height: height) { _, _ in (color[0], color[1], color[2], color[3]) }
        }

        /// One row loads 1,000 URLs one after another. In random order, results are late, partial, failed or from
        /// memory. The test checks the pixels that the row draws.
        @Test(.tags(.v1), .timeLimit(minutes: 3), arguments: 1...2 as ClosedRange<UInt64>)
        func recycledRowDrawsNoOtherImage(seed: UInt64) async throws {
            var random = SeededRandom(seed: seed)
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 8, height: 8)
            defer { window.close() }
            // The colour of an image identifies its URL.
            func color(_ number: Int) -> [UInt8] { [UInt8(number % 250), UInt8(number / 250), 200, 255] }
            let placeholder = try plain([9, 9, 9, 255])
            var completions = 0
            for number in 0..<1000 {
                let asked = URL(fileURLWithPath: "/\(number).png")
                if number % 5 == 0 { loader.remember(try plain(color(number)), for: asked) }
                let choices = [[], .progressiveLoad, .delayPlaceholder] as [WebImageOptions]
                let options = choices[Int(random.next() % 3)]
                let before = view.image
                view.setImage(with: asked, placeholderImage: placeholder, options: options, context: context) {
                    _, _, _, url in
                    completions += 1
                    #expect(url != nil)
                }
                for _ in 0..<Int(random.next() % 3) {
                    guard let load = loader.loads.suffix(5).randomElement(using: &random), let its = load.url,
                        let owner = Int(its.deletingPathExtension().lastPathComponent)
                    else { continue }
                    switch random.next() % 4 {
                    case 0: load.deliver(nil, error: WebImageError(.transport, stage: .download))
                    case 1: load.deliver(try plain(color(owner)), finished: false)
                    default: load.deliver(try plain(color(owner)))
                    }
                }
                if let shown = view.image, shown !== placeholder {
                    let drawn = try WidgetSnapshot.drawn(try #require(view.paintable), width: 8, height: 8)
                    let isOwn = drawn.bgra(4, 4) == color(number)
                    // With `.delayPlaceholder`, the previous image stays until this load ends.
                    let isKept = options == .delayPlaceholder && shown === before
                    #expect(isOwn || isKept, "row \(number) drew \(drawn.bgra(4, 4))")
                }
            }
            view.cancelLatestImageLoad()
            #expect(completions == 1000)
        }

        @Test(.tags(.v2), arguments: [true, false])
        func loadBeginsWithThePlaceholderOrAnEmptyView(isValid: Bool) throws {
            let view = ImageView()
            view.image = try plain(red)
            view.setImage(with: isValid ? url : nil, context: context)
            #expect(view.image == nil && view.paintable == nil)
            let placeholder = try plain(blue)
            view.setImage(with: isValid ? url : nil, placeholderImage: placeholder, context: context)
            #expect(view.image === placeholder)
        }

        /// Every frame that GTK renders shows the old image or the new image, but never an empty view.
        @Test(.tags(.v3, .v4), arguments: ["memory", "disk"])
        func synchronousHitsDrawNoFlash(origin: String) async throws {
            let journey = try ViewJourney()
            let pictures = [try plain(red), try plain(blue)]
            var urls: [URL] = []
            for (number, picture) in pictures.enumerated() {
                let url = try #require(URL(string: "http://example.test/\(number).png"))
                let data = try ImageCodersManager.shared.encode(picture, format: .png, options: EncodingOptions())
                journey.cache.storeImageDataToDisk(data, forKey: url.absoluteString)
                if origin == "memory" {
                    journey.cache.storeImage(picture, imageData: nil, forKey: url.absoluteString, toDisk: false)
                }
                urls.append(url)
            }
            let view = ImageView()
            view.image = pictures[0]
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            var drawings: [[UInt8]] = []
            let clock = GTKDisplayLink(view.widget)
            clock.start { _ in
                if let drawn = WidgetSnapshot.image(of: view.widget) { drawings.append(drawn.bgra(10, 10)) }
            }
            for round in 0..<30 {
                let before = drawings.count
                view.setImage(
                    with: urls[round % 2], options: origin == "disk" ? .queryDiskDataSync : [],
                    context: journey.context)
                #expect(view.image != nil)
                if origin == "disk" { journey.cache.clearMemory() }
                #expect(try await pump { drawings.count > before })
            }
            #expect(drawings.count >= 30)
            #expect(drawings.allSatisfy { $0 == red || $0 == blue })
        }

        @Test(.tags(.v5)) func placeholderIsShownUntilTheNetworkResultArrivesOnMain() async throws {
            let journey = try ViewJourney()
            let gate = FaultGate()
            journey.server.route("/late.png", .gated(gate, .body(try ViewJourney.file(.png, side: 10))))
            let view = ImageView()
            let placeholder = try plain(blue)
            let answer = ViewAnswer()
            view.setImage(
                with: journey.server.url("/late.png"), placeholderImage: placeholder, context: journey.context
            ) { image, error, origin, url in
                MainActor.assertIsolated()
                answer.hear(image, error, origin, url)
            }
            #expect(try await pump { journey.server.requestCount("/late.png") == 1 })
            #expect(view.image === placeholder)
            gate.open()
            #expect(try await answer.isSuccess(journey.server.url("/late.png")))
            #expect(view.image === answer.image)
        }

        @Test(.tags(.v6)) func delayedPlaceholderIsShownOnlyWithoutAnImage() throws {
            let view = ImageView()
            let (old, placeholder) = (try plain(red), try plain(blue))
            view.image = old
            view.setImage(with: url, placeholderImage: placeholder, options: .delayPlaceholder, context: context)
            #expect(view.image === old)
            loader.loads[0].deliver(nil, error: WebImageError(.badImageData, stage: .decode))
            #expect(view.image === placeholder)
        }

        @Test(.tags(.v7)) func avoidAutoSetImageLeavesTheView() throws {
            let view = ImageView()
            let (old, new) = (try plain(red), try plain(blue))
            var given: Image?
            view.setImage(with: url, placeholderImage: old, options: .avoidAutoSetImage, context: context) {
                image, _, _, _ in given = image
            }
            loader.loads[0].deliver(new)
            #expect(given === new && view.image === old)
        }

        @Test(.tags(.v8)) func imageOfAnotherSizeChangesTheLayout() async throws {
            let view = ImageView()
            view.setImage(with: url, placeholderImage: try plain(blue, width: 10, height: 10), context: context)
            var natural = Int32(0)
            gtk_widget_measure(
                UnsafeMutablePointer(view.widget), GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
            #expect(natural == 10)
            loader.loads[0].deliver(try plain(red, width: 40, height: 20))
            gtk_widget_measure(
                UnsafeMutablePointer(view.widget), GTK_ORIENTATION_HORIZONTAL, -1, nil, &natural, nil, nil)
            #expect(natural == 40)
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            let drawn = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(20, 20) == red })
            #expect(drawn.bgra(20, 8)[3] == 0 && drawn.bgra(20, 32)[3] == 0)
        }

        @Test(.tags(.v9), arguments: 0..<10)
        func indicatorsRunWhileLoading(number: Int) async throws {
            let indicators: [any WebImageIndicator] = [
                WebImageActivityIndicator.gray, WebImageActivityIndicator.grayLarge, WebImageActivityIndicator.white,
                WebImageActivityIndicator.whiteLarge, WebImageActivityIndicator.medium,
                WebImageActivityIndicator.large, WebImageProgressIndicator.default, WebImageProgressIndicator.bar,
                WebImageProgressIndicator.ring, WebImageProgressIndicator.overlay,
            ]
            let indicator = indicators[number]
            let view = ImageView()
            view.imageIndicator = indicator
            let window = try await TestWindow(view.widget, width: 200, height: 80)
            defer { window.close() }
            #expect(indicator.indicatorView.isHidden)
            view.setImage(with: url, context: context)
            let drawn = try await TestWindow.drawing(of: view.widget) { image in
                image.box { $0[3] > 40 } != nil
            }
            #expect(drawn?.box { $0[3] > 40 } != nil)
            loader.loads[0].report(received: 50, expected: 100)
            loader.loads[0].deliver(try plain(red))
            #expect(indicator.indicatorView.isHidden)
            view.imageIndicator = nil
            #expect(gtk_widget_get_first_child(UnsafeMutablePointer(view.widget)) == nil)
        }

        @Test(.tags(.v10)) func completionIsReleasedAfterTheLoad() throws {
            @MainActor final class Cell {
                let view = ImageView()
            }
            var cell: Cell? = Cell()
            weak var gone: Cell?
            gone = cell
            cell?.view.setImage(with: url, context: context) { [cell] _, _, _, _ in _ = cell }
            loader.loads[0].deliver(try plain(red))
            loader.loads[0].releaseCompletion()
            cell = nil
            #expect(gone == nil)
        }

        @Test(.tags(.v11)) func memoryHitRunsNoTransitionUnlessForced() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            view.imageTransition = .fade(duration: 5)
            loader.remember(try plain(red), for: url)
            view.setImage(with: url, context: context)
            #expect(view.state.running == nil)
            view.setImage(with: url, options: .forceTransition, context: context)
            #expect(view.state.running != nil)
        }

        @Test(.tags(.v12)) func imageProgressCountsBytes() async throws {
            let view = ImageView()
            view.setImage(with: url, context: context)
            let progress = view.imageProgress
            loader.loads[0].report(received: 25, expected: 100)
            #expect(progress.completedUnitCount == 25 && progress.totalUnitCount == 100)
            #expect(progress.fractionCompleted == 0.25)
        }

        /// Loads an animation from a URL into the animated view.
        @Test(.tags(.x5)) func animationFromAURLStartsAutomaticallyAndStops() async throws {
            let journey = try ViewJourney()
            let data = try Self.animation(.gif, frames: 4, seconds: 0.03)
            journey.server.route("/a.gif", .body(data))
            let view = AnimatedImageView()
            view.maxBufferSize = 1 << 20
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            let answer = ViewAnswer()
            view.setImage(with: journey.server.url("/a.gif"), context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.server.url("/a.gif")))
            #expect(view.player?.totalFrameCount == 4 && view.isAnimating)
            #expect(try await pump { view.currentLoopCount >= 1 })
            view.stopAnimating()
            #expect(!view.isAnimating)
        }

        /// At least 50 of 60 frames are shown. Nine in ten of the shown frames appear within one display refresh of
        /// their time. The frame clock measures the times.
        @Test func sixtyFramesAreShownOnTime() async throws {
            let data = try Self.animation(.gif, frames: 60, seconds: 0.04)
            let image = try #require(AnimatedImage(data: data))
            let view = AnimatedImageView()
            view.shouldCustomLoopCount = true
            view.animationRepeatCount = 1
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            var shown: [(index: Int, time: Double, step: Double)] = []
            // Frames whose time passed within one refresh of a busy machine.
            var (time, unavoidable) = (0.0, 0)
            let clock = GTKDisplayLink(view.widget)
            clock.start { elapsed in
                time += elapsed
                if !shown.isEmpty { unavoidable += max(Int((elapsed / 0.04).rounded(.up)) - 1, 0) }
                if view.currentFrame != nil, shown.last?.index != view.currentFrameIndex {
                    shown.append((view.currentFrameIndex, time, elapsed))
                }
            }
            view.image = image
            #expect(try await pump { shown.last?.index == 59 })
            let start = try #require(shown.first?.time)
            // A frame may be late by one refresh of the window. The test measures each refresh (`step`), because a
            // refresh takes longer on a busy machine.
            func error(_ frame: (index: Int, time: Double, step: Double)) -> Double {
                abs(frame.time - start - Double(frame.index) * 0.04)
            }
            let worst = shown.map { error($0) / max($0.step, 0.001) }.max() ?? 0
            print("animation: \(shown.count) of 60 frames seen, the latest \(worst) refreshes beside its time")
            // Add 1 ms, because the frame clock rounds its times.
            let late = shown.filter { error($0) > max($0.step, 1.0 / 60) + 0.001 }
            #expect(late.count <= shown.count / 10, "\(late)")
            #expect(shown.count + unavoidable >= 50)
        }

        @Test func animationTransformerChangesEveryFrame() async throws {
            let image = try #require(AnimatedImage(data: try Self.animation(.gif, frames: 3, seconds: 0.03)))
            let view = AnimatedImageView()
            view.animationTransformer = Blue()
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            view.image = image
            #expect(try await pump { view.currentLoopCount >= 1 })
            let drawn = try await TestWindow.drawing(of: view.widget) { $0.bgra(10, 10) == blue }
            #expect(drawn?.bgra(10, 10) == blue)
        }

        static func animation(_ format: ImageFormat, frames: Int, seconds: Double) throws -> Data {
            try ImageCodersManager.shared.encode(
                frameCount: frames, loopCount: 0, format: format, options: EncodingOptions()
            ) { number throws(WebImageError) in
                ImageFrame(image: try TestImages.solid(blue: UInt8(number * 4)), duration: seconds)
            }
        }

        private struct Blue: ImageTransformer {
            var transformerKey: String { "Blue" }
            func transformedImage(with image: Image, forKey key: String) -> Image? {
                try? TestImages.solid(width: 4, height: 4, blue: 255, green: 0, red: 0)
            }
        }
    }
}
