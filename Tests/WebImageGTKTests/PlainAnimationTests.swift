import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Plain views (``ImageView``) play animated images without any setting.
    @Suite("Animations in plain views") @MainActor struct PlainAnimationTests {
        private let journey: ViewJourney
        private let url: URL

        init() throws {
            try Display.open()
            journey = try ViewJourney()
            journey.server.route("/a.gif", .body(try ViewPromiseTests.animation(.gif, frames: 4, seconds: 0.03)))
            url = journey.server.url("/a.gif")
        }

        /// Returns whether the widget draws at least three different frames. The blue value of a frame is four times
        /// the index of the frame.
        private func plays(_ widget: OpaquePointer) async throws -> Bool {
            var seen: Set<UInt8> = []
            return try await pump {
                if let drawn = WidgetSnapshot.image(of: widget) {
                    seen.insert(drawn.bgra(drawn.pixels.width / 2, drawn.pixels.height / 2)[0])
                }
                return seen.intersection([0, 4, 8, 12]).count > 2
            }
        }

        @Test func anImageViewPlaysAGIF() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            let answer = ViewAnswer()
            view.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(answer.image?.isAnimated == true && view.isAnimating)
            #expect(try await plays(view.widget))
            view.stopAnimating()
            #expect(!view.isAnimating)
            view.startAnimating()
            #expect(view.isAnimating)
            view.image = try TestImages.solid(blue: 200)
            #expect(!view.isAnimating && view.state.animation?.player == nil)
        }

        @Test func decodeFirstFrameOnlyShowsAStill() async throws {
            let view = ImageView()
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            let answer = ViewAnswer()
            view.setImage(
                with: url, options: .decodeFirstFrameOnly, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(answer.image?.isAnimated == false && !view.isAnimating)
        }

        @Test func viewOfStillsHasNoPlayer() async throws {
            let view = ImageView()
            let answer = ViewAnswer()
            view.setImage(with: journey.png, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(journey.png))
            #expect(view.state.animation == nil)
        }

        @Test func aButtonPlaysAGIF() async throws {
            let button = Button()
            let window = try await TestWindow(button.widget, width: 60, height: 60)
            defer { window.close() }
            let answer = ViewAnswer()
            button.setImage(with: url, context: journey.context, completed: answer.hear)
            #expect(try await answer.isSuccess(url))
            #expect(try await plays(button.widget))
        }

        @Test func visibleListRowsPlay() async throws {
            var rows: [FixedRow] = []
            let factory = ImageListFactory(
                request: { [journey, url] _ in ImageListRequest(url, context: [.customManager: journey.manager]) },
                make: {
                    let row = FixedRow(side: 50)
                    rows.append(row)
                    return row
                })
            let list = try #require(OpaquePointer(gtk_list_view_new(EmptyRows.model(500), factory.retainedFactory())))
            let window = try await ListWindow(list, width: 100, height: 200)
            defer { window.close() }
            let playing = { rows.filter { $0.imageView.isAnimating } }
            #expect(try await pump { playing().count >= 4 })
            let first = try #require(playing().first)
            #expect(try await plays(first.widget))
            // GTK also binds rows outside the viewport. These rows must not play.
            for value in [2_000.0, 5_000, 0] {
                window.value = value
                #expect(
                    try await pump {
                        let seen = playing()
                        return (4...5).contains(seen.count) && seen.allSatisfy(\.imageView.isVisible)
                    })
            }
        }

        @Test func oneAnimationInManyViewsSharesOneImage() async throws {
            let views = (0..<4).map { _ in ImageView() }
            let box = OpaquePointer(try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)))
            for view in views {
                gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 20, 20)
                gtk_box_append(UnsafeMutablePointer(box), UnsafeMutablePointer(view.widget))
            }
            let window = try await TestWindow(box, width: 80, height: 20)
            defer { window.close() }
            for view in views { view.setImage(with: url, context: journey.context) }
            #expect(try await pump { views.allSatisfy(\.isAnimating) })
            let images = views.compactMap { $0.image as? AnimatedImage }
            #expect(images.count == 4 && Set(images.map { ObjectIdentifier($0) }).count == 1)
        }
    }
}
