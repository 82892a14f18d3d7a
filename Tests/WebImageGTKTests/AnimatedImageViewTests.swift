import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Animated image view") @MainActor struct AnimatedImageViewTests {
        let link = ManualDisplayLink()

        init() throws { try Display.open() }

        private func makeView() -> AnimatedImageView { AnimatedImageView(displayLink: { [link] _ in link }) }

        /// Ticks until the view shows frame `index`. Returns false if the frame does not appear within ten seconds.
        private func play(_ view: AnimatedImageView, to index: Int, step: Double = 0.1) async throws -> Bool {
            try await pump {
                link.tick(step)
                return view.currentFrame != nil && view.currentFrameIndex == index
            }
        }

        @Test func framesAreDrawnWithoutANewLayout() async throws {
            let view = makeView()
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            view.image = try FakePicture(.init(durations: [0.1, 0.1, 0.1], side: 8))
            let paintable = try #require(view.paintable)
            var sizes = 0, contents = 0
            Signal.connect(paintable, "invalidate-size") { _ in sizes += 1 }
            Signal.connect(paintable, "invalidate-contents") { _ in contents += 1 }
            for index in [1, 2] {
                #expect(try await play(view, to: index))
                let drawn = try await TestWindow.drawing(of: view.widget) { $0.bgra(10, 10)[0] == UInt8(index) }
                #expect(drawn?.bgra(10, 10)[0] == UInt8(index))
            }
            #expect(sizes == 0)
            #expect(contents >= 2)
            #expect(view.paintable == paintable)
        }

        @Test func equalFramesAreNotDrawn() async throws {
            let view = makeView()
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            // Every frame is a new buffer. Frames 0, 1 and 2 are equal.
            view.image = try PairPicture(shades: [5, 5, 5, 9])
            let paintable = try #require(view.paintable)
            var contents = 0
            Signal.connect(paintable, "invalidate-contents") { _ in contents += 1 }
            for index in [1, 2] { #expect(try await play(view, to: index)) }
            #expect(contents == 0 && view.currentFrameIndex == 2)
            #expect(try await play(view, to: 3))
            #expect(contents == 1)
            let drawn = try await TestWindow.drawing(of: view.widget) { $0.bgra(10, 10)[0] == 9 }
            #expect(drawn?.bgra(10, 10)[0] == 9)
            #expect(try await play(view, to: 0))
            #expect(contents == 2)
        }

        @Test func hiddenWidgetRequestsNoTicks() async throws {
            let view = makeView()
            view.image = try FakePicture(.init(durations: [0.1, 0.1]))
            #expect(!link.isRunning && !view.isAnimating)
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            #expect(link.isRunning && view.isAnimating)
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            gtk_widget_set_visible(widget, 0)
            #expect(!link.isRunning && !view.isAnimating)
            gtk_widget_set_visible(widget, 1)
            #expect(try await pump { link.isRunning })
            gtk_widget_set_opacity(widget, 0)
            #expect(try await pump { !link.isRunning })
            gtk_widget_set_opacity(widget, 1)
            #expect(try await pump { link.isRunning })
        }

        /// For example in a page of a stack that the user leaves and shows again.
        @Test func animationThatTheProgramHasStartedResumes() async throws {
            let view = makeView()
            view.autoPlayAnimatedImage = false
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            for _ in 0..<2 {
                view.image = try FakePicture(.init(durations: [0.1, 0.1]))
                #expect(!link.isRunning)
                view.startAnimating()
                #expect(link.isRunning)
                gtk_widget_set_visible(widget, 0)
                #expect(!link.isRunning)
                gtk_widget_set_visible(widget, 1)
                #expect(try await pump { link.isRunning })
                // A stop also ends what the program has requested while the widget was not visible.
                gtk_widget_set_visible(widget, 0)
                view.stopAnimating()
                gtk_widget_set_visible(widget, 1)
                #expect(try await pump { view.isVisible })
                #expect(!link.isRunning)
                gtk_widget_set_visible(widget, 0)
                view.startAnimating()
                #expect(!link.isRunning)
                gtk_widget_set_visible(widget, 1)
                #expect(try await pump { link.isRunning })
            }
        }

        @Test func widgetOutsideTheViewportPausesAndResumes() async throws {
            let view = makeView()
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_widget_set_size_request(widget, 50, 50)
            let filler = try #require(gtk_label_new("filler"))
            gtk_widget_set_size_request(filler, 50, 1000)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), widget)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), filler)
            let scrolled = OpaquePointer(try #require(gtk_scrolled_window_new()))
            gtk_scrolled_window_set_child(scrolled, box)
            view.image = try FakePicture(.init(durations: [0.1, 0.1]))
            let window = try await TestWindow(scrolled, width: 100, height: 100)
            defer { window.close() }
            #expect(try await pump { link.isRunning })
            let adjustment = gtk_scrolled_window_get_vadjustment(scrolled)
            #expect(try await pump { gtk_adjustment_get_upper(adjustment) > 900 })
            gtk_adjustment_set_value(adjustment, 500)
            #expect(try await pump { !link.isRunning })
            gtk_adjustment_set_value(adjustment, 0)
            #expect(try await pump { link.isRunning })
        }

        @Test func widgetThatBecomesVisiblePlaysDuringTheScroll() async throws {
            let view = makeView()
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_widget_set_size_request(widget, 50, 50)
            let filler = try #require(gtk_label_new("filler"))
            gtk_widget_set_size_request(filler, 50, 1000)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), filler)
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), widget)
            view.image = try FakePicture(.init(durations: [0.1, 0.1]))
            let window = try await ListWindow(OpaquePointer(box), width: 100, height: 100)
            defer { window.close() }
            #expect(try await pump { gtk_adjustment_get_upper(window.adjustment) > 1000 && !link.isRunning })
            window.value = 950
            var (frames, played) = (0, 0)
            window.everyFrame {
                // Scroll back and forth by one pixel. The list moves in every frame, and the view stays visible.
                window.value = frames.isMultiple(of: 2) ? 949 : 950
                frames += 1
                played += link.isRunning ? 1 : 0
                return frames < 30
            }
            #expect(try await pump { !window.isDriven })
            #expect(played > 20)
        }

        /// The last step scrolls the view out of the viewport. The view stays visible during the earlier steps.
        @Test(arguments: 0..<6) func lastStepOfAScrollUpdatesVisibility(_ stepsBefore: Int) async throws {
            let view = makeView()
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let filler = try #require(gtk_label_new("filler"))
            for (child, height) in [(UnsafeMutablePointer<GtkWidget>(view.widget), 50), (filler, 1000)] {
                gtk_widget_set_size_request(child, 50, gint(height))
                gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), child)
            }
            view.image = try FakePicture(.init(durations: [0.1, 0.1]))
            let window = try await ListWindow(OpaquePointer(box), width: 100, height: 100)
            defer { window.close() }
            #expect(try await pump { gtk_adjustment_get_upper(window.adjustment) > 900 && link.isRunning })
            var steps = 0
            window.everyFrame {
                window.value = steps < stepsBefore ? Double(1 + steps % 2) : 500
                steps += 1
                return steps <= stepsBefore
            }
            #expect(try await pump { !window.isDriven && !link.isRunning })
        }

        @Test func customLoopCountStopsAtTheLastFrame() async throws {
            let view = makeView()
            view.shouldCustomLoopCount = true
            view.animationRepeatCount = 1
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            view.image = try FakePicture(.init(durations: [0.1, 0.1]))
            #expect(
                try await pump {
                    link.tick(0.1)
                    return !view.isAnimating
                })
            #expect(view.currentLoopCount == 1)
            #expect(view.currentFrameIndex == 1)
            #expect(!link.isRunning)
        }

        @Test func withoutAutoPlayAnimationStartsOnRequest() async throws {
            let view = makeView()
            view.autoPlayAnimatedImage = false
            view.resetFrameIndexWhenStopped = true
            view.clearBufferWhenStopped = true
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            view.image = try FakePicture(.init(durations: [0.1, 0.1, 0.1]))
            #expect(!view.isAnimating)
            view.startAnimating()
            #expect(view.isAnimating)
            #expect(try await play(view, to: 1))
            // Wait until all frames are in the buffer, so that the stop has frames to remove and no decode runs.
            #expect(
                try await pump {
                    link.tick(0)
                    return view.player?.bufferedFrameCount == 3
                })
            view.stopAnimating()
            #expect(!view.isAnimating && !link.isRunning)
            #expect(view.player?.currentFrameIndex == 0)
            #expect(view.player?.bufferedFrameCount == 0)
        }

        @Test func stillAfterAnAnimationReleasesThePlayer() throws {
            let view = makeView()
            view.image = try FakePicture(.init(durations: [0.1, 0.1]))
            #expect(view.player != nil)
            let player = view.player
            let image = view.image
            view.image = image
            #expect(view.player === player)
            view.image = try Image.generated(width: 3, height: 3)
            #expect(view.player == nil)
            #expect(view.paintable.map { gdk_paintable_get_intrinsic_width($0) } == 3)
        }

        @Test func frameClockDrivesTheViewAndDestroyReleasesIt() async throws {
            try await turnLoop()
            let live = GTKHandles.live
            var view: AnimatedImageView? = AnimatedImageView()
            let window = try await TestWindow(try #require(view?.widget), width: 20, height: 20)
            view?.image = try FakePicture(.init(durations: [0.02, 0.02, 0.02]))
            #expect(try await pump { (view?.currentLoopCount ?? 0) >= 2 })
            window.close()
            #expect(view?.isAnimating == false)
            view = nil
            #expect(try await pump { GTKHandles.hasNoMore(than: live) }, "\(GTKHandles.live) after \(live)")
        }
    }
}

/// An image whose frames come from a fake animation.
private final class FakePicture: Image, AnimatedImageProvider, @unchecked Sendable {
    // Unchecked is safe because the animation is Sendable and never replaced.
    let animation: FakeAnimation

    init(_ animation: FakeAnimation) throws {
        self.animation = animation
        let first = try #require(animation.animatedImageFrame(at: 0))
        super.init(pixels: first.pixels)
    }

    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: Int { animation.animatedImageFrameCount }
    var animatedImageLoopCount: Int { animation.animatedImageLoopCount }
    func animatedImageFrame(at index: Int) -> Image? { animation.animatedImageFrame(at: index) }
    func animatedImageDuration(at index: Int) -> TimeInterval { animation.animatedImageDuration(at: index) }
}

/// An animation whose frames have one shade each. Each decode makes a new buffer.
private final class PairPicture: Image, AnimatedImageProvider, @unchecked Sendable {
    // Unchecked is safe because the shades are never changed.
    private let shades: [UInt8]

    init(shades: [UInt8]) throws {
        self.shades = shades
        super.init(pixels: try Self.frame(shades[0]).pixels)
    }

    private static func frame(_ shade: UInt8) throws -> Image {
        try Image.generated(width: 8, height: 8) { _, _ in (shade, 0, 0, 255) }
    }

    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: Int { shades.count }
    var animatedImageLoopCount: Int { 0 }
    func animatedImageFrame(at index: Int) -> Image? { try? Self.frame(shades[index]) }
    func animatedImageDuration(at index: Int) -> TimeInterval { 0.1 }
}
