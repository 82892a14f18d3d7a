import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Transitions") @MainActor struct TransitionTests {
        let loader = ControlledViewLoader()
        let first = URL(fileURLWithPath: "/1.png")
        let second = URL(fileURLWithPath: "/2.png")
        let old: Image
        let new: Image

        init() throws {
            try Display.open()
            old = try Image.generated(width: 40, height: 40) { _, _ in (255, 0, 0, 255) }
            new = try Image.generated(width: 40, height: 40) { _, _ in (0, 0, 255, 255) }
        }

        private var context: WebImageContext { [.customManager: loader] }

        /// Draws an effect at the given progress. The old image is blue, and the new image is red.
        private func moment(_ effect: TransitionEffect?, _ progress: Double) throws -> Image {
            let drawing = PictureDrawing()
            drawing.mode = .fill
            let size = CGSize(width: 40, height: 40)
            drawing.picture = .init(texture: try #require(new.makeTexture()), size: size)
            drawing.setTransition(
                effect, from: .init(picture: .init(texture: try #require(old.makeTexture()), size: size)),
                outgoingMode: .fill)
            drawing.progress = progress
            return try WidgetSnapshot.drawn(drawing.pointer, width: 40, height: 40)
        }

        @Test(arguments: [
            WebImageAnimationOptions.transitionCrossDissolve, .transitionFlipFromLeft, .transitionFlipFromRight,
            .transitionFlipFromTop, .transitionFlipFromBottom, .transitionCurlUp, .transitionCurlDown,
            .transitionPushFromLeft, .transitionPushFromRight, .transitionPushFromTop, .transitionPushFromBottom,
            .transitionMoveInFromLeft, .transitionMoveInFromRight, .transitionMoveInFromTop,
            .transitionMoveInFromBottom,
        ])
        func everyLookBeginsWithTheOldPictureAndEndsWithTheNewOne(look: WebImageAnimationOptions) throws {
            let effect = try #require(look.effect)
            let (start, end) = (try moment(effect, 0), try moment(effect, 1))
            for (x, y) in [(2, 2), (37, 2), (2, 37), (37, 37), (20, 20)] {
                #expect(start.bgra(x, y) == [255, 0, 0, 255])
                #expect(end.bgra(x, y) == [0, 0, 255, 255])
            }
            let middle = try moment(effect, 0.4)
            let halfway = (0..<40).flatMap { x in (0..<40).map { middle.bgra(x, $0) } }
            #expect(halfway.contains { $0 != [255, 0, 0, 255] } && halfway.contains { $0 != [0, 0, 255, 255] })
        }

        @Test func dissolveMixes() throws {
            let pixel = try moment(.dissolve, 0.5).bgra(20, 20)
            #expect(abs(Int(pixel[0]) - 128) <= 3 && abs(Int(pixel[2]) - 128) <= 3 && pixel[3] >= 254)
        }

        @Test func slideTransitionsStartAtTheirSide() throws {
            let places: [TransitionEffect.Side: (Int, Int)] = [
                .left: (4, 20), .right: (35, 20), .top: (20, 4), .bottom: (20, 35),
            ]
            for (side, place) in places {
                for effect in [TransitionEffect.push(side), .moveIn(side)] {
                    let drawn = try moment(effect, 0.25)
                    #expect(drawn.bgra(place.0, place.1) == [0, 0, 255, 255])
                    #expect(drawn.bgra(39 - place.0, 39 - place.1) == [255, 0, 0, 255])
                }
            }
        }

        @Test func flipTransitionShowsOneImageAtATime() throws {
            let before = try moment(.flip(.left), 0.45)
            #expect(before.bgra(20, 20) == [255, 0, 0, 255])
            #expect(before.bgra(5, 20)[3] == 0)
            let after = try moment(.flip(.top), 0.55)
            #expect(after.bgra(20, 20) == [0, 0, 255, 255])
            #expect(after.bgra(20, 5)[3] == 0)
        }

        @Test func timingCurvesStartAtZeroAndEndAtOne() {
            for options in [WebImageAnimationOptions.curveEaseInOut, .curveEaseIn, .curveEaseOut, .curveLinear] {
                #expect(options.eased(0) == 0 && options.eased(1) == 1)
            }
            #expect(WebImageAnimationOptions.curveEaseIn.eased(0.5) < 0.5)
            #expect(WebImageAnimationOptions.curveEaseOut.eased(0.5) > 0.5)
            #expect(WebImageAnimationOptions.curveLinear.eased(0.3) == 0.3)
        }

        @Test(arguments: [false, true]) func buttonFadesToItsNextPicture(_ isBackground: Bool) async throws {
            let button = Button()
            let window = try await TestWindow(button.widget, width: 80, height: 80)
            defer { window.close() }
            let transition = WebImageTransition.fade(duration: 60)
            transition.timingFunction = { _ in 0.5 }
            button.imageTransition = transition
            if isBackground {
                button.setBackgroundImage(with: first, placeholderImage: old, context: context)
            } else {
                button.setImage(with: first, placeholderImage: old, context: context)
            }
            let before = try await TestWindow.drawing(of: button.widget) { $0.bgra(40, 40) == [255, 0, 0, 255] }
            #expect(before?.bgra(40, 40) == [255, 0, 0, 255])
            loader.loads[0].deliver(new)
            let isMixed: (Image) -> Bool = { image in
                let pixel = image.bgra(40, 40)
                return abs(Int(pixel[0]) - 128) <= 3 && abs(Int(pixel[2]) - 128) <= 3 && pixel[3] >= 254
            }
            let middle = try await TestWindow.drawing(of: button.widget, until: isMixed)
            #expect(middle.map(isMixed) == true)
            // The next image ends the transition.
            button.imageTransition = nil
            if isBackground {
                button.setBackgroundImage(with: second, placeholderImage: old, context: context)
            } else {
                button.setImage(with: second, placeholderImage: old, context: context)
            }
            loader.loads[1].deliver(new)
            let end = try await TestWindow.drawing(of: button.widget) { $0.bgra(40, 40) == [0, 0, 255, 255] }
            #expect(end?.bgra(40, 40) == [0, 0, 255, 255])
        }

        /// A program sets the opacity of a widget with GTK's function, for example in an animation of libadwaita.
        @Test func transitionKeepsAnOpacityThatTheProgramHasSetWithGTK() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            let transition = WebImageTransition.fade(duration: 0.05)
            var ends = 0
            transition.completion = { _ in ends += 1 }
            view.imageTransition = transition
            for (load, opacity) in [0.5, 0.25].enumerated() {
                gtk_widget_set_opacity(UnsafeMutablePointer(view.widget), opacity)
                #expect(abs(view.alpha - opacity) < 0.003)
                view.setImage(with: load == 0 ? first : second, context: context)
                loader.loads[load].deliver(new)
                #expect(try await pump { ends == load + 1 })
                #expect(abs(gtk_widget_get_opacity(UnsafeMutablePointer(view.widget)) - opacity) < 0.003)
            }
            // The property has exactly the value that was set, although GTK rounds the opacity.
            view.alpha = 0.7
            #expect(view.alpha == 0.7)
        }

        @Test func transitionBlocksRunInOrderAndThePropertiesFollowTheTime() async throws {
            let view = ImageView()
            view.image = old
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            var order: [String] = []
            let transition = WebImageTransition.fade(duration: 0.2)
            transition.prepares = { view, image, _, origin, url in
                order.append("prepares")
                #expect(image === new && origin == .none && url == first)
                view.alpha = 0.2
            }
            transition.animations = { shown, _ in
                order.append("animations")
                #expect(view.image === new)
                shown.alpha = 1
                shown.transform = CGAffineTransform(scaleX: 0.5, y: 0.5)
            }
            transition.completion = { finished in order.append("completion \(finished)") }
            view.imageTransition = transition
            view.setImage(with: first, placeholderImage: old, context: context) { _, _, _, _ in order.append("loaded") }
            loader.loads[0].deliver(new)
            #expect(order == ["prepares", "animations", "loaded"])
            // The Swift property has its final value immediately. The widget's opacity changes during the transition.
            #expect(view.alpha == 1)
            let opacity = gtk_widget_get_opacity(UnsafeMutablePointer(view.widget))
            #expect(opacity < 0.5)
            #expect(try await pump { order.count == 4 })
            #expect(order.last == "completion true")
            #expect(gtk_widget_get_opacity(UnsafeMutablePointer(view.widget)) == 1)
            let drawn = try await TestWindow.drawing(of: view.widget) { $0.bgra(20, 20) == [0, 0, 255, 255] }
            #expect(drawn?.bgra(20, 20) == [0, 0, 255, 255])
            #expect(drawn?.bgra(4, 4)[3] == 0)
        }

        @Test func waitTransitionCompletesAfterTheTransition() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            view.imageTransition = .fade(duration: 0.05)
            var completions = 0
            view.setImage(with: first, options: .waitTransition, context: context) { _, _, _, _ in completions += 1 }
            loader.loads[0].deliver(new)
            #expect(completions == 0)
            #expect(try await pump { completions == 1 })
            #expect(view.state.running == nil)
        }

        @Test func newImageReplacesARunningTransition() async throws {
            let view = ImageView()
            view.image = old
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            let transition = WebImageTransition.fade(duration: 10)
            transition.completion = { _ in Issue.record("the replaced transition completed") }
            view.imageTransition = transition
            var completions = 0
            view.setImage(with: first, placeholderImage: old, options: .waitTransition, context: context) {
                _, _, _, _ in completions += 1
            }
            loader.loads[0].deliver(old)
            #expect(view.state.running != nil)
            loader.remember(new, for: second)
            view.setImage(with: second, placeholderImage: new, context: context)
            #expect(view.state.running == nil)
            let drawn = try await TestWindow.drawing(of: view.widget) { $0.bgra(20, 20) == [0, 0, 255, 255] }
            #expect(drawn?.bgra(20, 20) == [0, 0, 255, 255])
            #expect(try await pump { completions == 1 })
        }

        @Test func transitionOffScreenShowsTheImageAtOnceAndDisabledAnimationsSkipIt() async throws {
            var completions = 0
            let transition = WebImageTransition.curlUp(duration: 10)
            transition.completion = { _ in completions += 1 }
            let unseen = ImageView()
            unseen.imageTransition = transition
            unseen.setImage(with: first, context: context)
            loader.loads[0].deliver(new)
            #expect(unseen.image === new && completions == 0)

            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            let settings = try #require(gtk_settings_get_default())
            setAnimations(settings, false)
            defer { setAnimations(settings, true) }
            view.imageTransition = transition
            view.setImage(with: first, context: context)
            loader.loads[1].deliver(new)
            #expect(view.state.running == nil && completions == 1)
        }

        private func setAnimations(_ settings: OpaquePointer, _ isOn: Bool) {
            var value = GValue()
            g_value_init(&value, GType(5 << 2))
            g_value_set_boolean(&value, isOn ? 1 : 0)
            g_object_set_property(UnsafeMutablePointer<GObject>(settings), "gtk-enable-animations", &value)
        }

        @Test func widgetDestroyedInATransitionCompletesItsLoad() async throws {
            try await turnLoop()
            let live = GTKHandles.live
            var completions = 0, ends: [Bool] = []
            do {
                let view = ImageView()
                let window = try await TestWindow(view.widget, width: 40, height: 40)
                let transition = WebImageTransition.flipFromLeft(duration: 10)
                transition.completion = { ends.append($0) }
                view.imageTransition = transition
                view.setImage(with: first, options: .waitTransition, context: context) { _, _, _, _ in completions += 1
                }
                loader.loads[0].deliver(new)
                window.close()
            }
            #expect(try await pump { completions == 1 })
            #expect(ends == [false])
            #expect(try await pump { GTKHandles.hasNoMore(than: live) }, "\(GTKHandles.live) after \(live)")
        }
    }
}
