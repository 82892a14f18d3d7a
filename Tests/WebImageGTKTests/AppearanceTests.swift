import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting
import WebImageViews

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Looks of a view") @MainActor struct AppearanceTests {
        let red: [UInt8] = [0, 0, 255, 255]
        let blue: [UInt8] = [255, 0, 0, 255]

        init() throws { try Display.open() }

        private func plain(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> Image {
            try Image.generated(width: width, height: height) { _, _ in (color[0], color[1], color[2], color[3]) }
        }

        @Test func contentModesPlaceTheImage() {
            let bounds = CGRect(x: 0, y: 0, width: 100, height: 50)
            let square = CGSize(width: 10, height: 10)
            #expect(ImageContentMode.fill.rect(for: square, in: bounds) == bounds)
            #expect(
                ImageContentMode.fit.rect(for: square, in: bounds) == CGRect(x: 25, y: 0, width: 50, height: 50))
            #expect(
                ImageContentMode.cover.rect(for: square, in: bounds) == CGRect(x: 0, y: -25, width: 100, height: 100))
            let own = CGRect(x: 45, y: 20, width: 10, height: 10)
            #expect(ImageContentMode.scaleDown.rect(for: square, in: bounds) == own)
            #expect(ImageContentMode.center.rect(for: square, in: bounds) == own)
            let large = CGSize(width: 100, height: 100)
            #expect(
                ImageContentMode.scaleDown.rect(for: large, in: bounds) == CGRect(x: 25, y: 0, width: 50, height: 50))
        }

        @Test func aspectFillCoversTheViewAndIsClipped() async throws {
            let view = ImageView()
            view.contentMode = .cover
            view.image = try plain(10, 10, red)
            let window = try await TestWindow(view.widget, width: 40, height: 80)
            defer { window.close() }
            let drawn = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(1, 1) == red })
            #expect(drawn.bgra(38, 78) == red)
            view.contentMode = .fit
            let fitted = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(1, 1)[3] == 0 })
            #expect(fitted.bgra(1, 40) == red)
            view.contentMode = .center
            let own = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(1, 40)[3] == 0 })
            #expect(own.bgra(16, 36) == red && own.bgra(13, 36)[3] == 0)
        }

        @Test func cornersOfTheImageAreRounded() async throws {
            let view = ImageView()
            view.image = try plain(40, 40, red)
            view.cornerRadius = 12
            let window = try await TestWindow(view.widget, width: 40, height: 80)
            defer { window.close() }
            let drawn = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(20, 40) == red })
            // The image covers the rows 20 to 60. The corners of the image are rounded, not the corners of the view.
            #expect(drawn.bgra(1, 21)[3] < 40)
            #expect(drawn.bgra(38, 58)[3] < 40)
            #expect(drawn.bgra(1, 40) == red)
            #expect(drawn.bgra(20, 21) == red)
        }

        @Test func transformIsDrawnAroundTheCentreWithoutANewLayout() async throws {
            let view = ImageView()
            let image = try Image.generated(width: 40, height: 40) { x, _ in
                x < 20 ? (0, 0, 255, 255) : (255, 0, 0, 255)
            }
            view.image = image
            let window = try await TestWindow(view.widget, width: 40, height: 40)
            defer { window.close() }
            view.transform = CGAffineTransform(rotationAngle: .pi / 2)
            let turned = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(30, 5) == red })
            #expect(turned.bgra(10, 5) == red && turned.bgra(10, 35) == blue && turned.bgra(30, 35) == blue)
            view.transform = CGAffineTransform(scaleX: -1, y: 1)
            let mirrored = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(5, 5) == blue })
            #expect(mirrored.bgra(35, 5) == red)
            view.transform = CGAffineTransform(a: 1, b: 0, c: 0.5, d: 1, tx: 0, ty: 0)
            let slanted = try #require(try await TestWindow.drawing(of: view.widget) { $0.bgra(27, 38) == red })
            // The lower edge moves 10 px to the right, and the upper edge moves 10 px to the left.
            #expect(slanted.bgra(32, 38) == blue && slanted.bgra(12, 1) == blue && slanted.bgra(8, 1) == red)
            #expect(gtk_widget_get_width(UnsafeMutablePointer(view.widget)) == 40)
        }

        @Test func alphaIsTheWidgetsOpacityAndZeroPausesTheAnimation() async throws {
            let view = ImageView()
            view.image = try plain(10, 10, red)
            let window = try await TestWindow(view.widget, width: 20, height: 20)
            defer { window.close() }
            #expect(view.alpha == 1 && view.isVisible)
            view.alpha = 0
            #expect(gtk_widget_get_opacity(UnsafeMutablePointer(view.widget)) == 0)
            #expect(!view.isVisible)
            view.alpha = 7
            #expect(view.alpha == 1)
        }

        @Test func viewAsksForThePicturesOwnSizeAndItsShapeForAWidth() throws {
            let view = ImageView()
            func measure(_ way: GtkOrientation, for size: Int32) -> (Int32, Int32) {
                var (least, natural) = (Int32(0), Int32(0))
                gtk_widget_measure(UnsafeMutablePointer(view.widget), way, size, &least, &natural, nil, nil)
                return (least, natural)
            }
            #expect(measure(GTK_ORIENTATION_HORIZONTAL, for: -1) == (0, 0))
            view.image = try plain(30, 20, red)
            #expect(measure(GTK_ORIENTATION_HORIZONTAL, for: -1) == (0, 30))
            #expect(measure(GTK_ORIENTATION_VERTICAL, for: -1) == (0, 20))
            #expect(measure(GTK_ORIENTATION_VERTICAL, for: 60) == (0, 40))
            view.image = try plain(30, 20, red).rescaled(to: 2)
            #expect(measure(GTK_ORIENTATION_HORIZONTAL, for: -1) == (0, 15))
            view.imageIndicator = WebImageProgressIndicator.bar
            view.imageIndicator?.startAnimatingIndicator()
            #expect(measure(GTK_ORIENTATION_HORIZONTAL, for: -1) == (0, 15))
        }

        @Test func highlightedPictureIsShownWhileHighlighted() async throws {
            let view = ImageView()
            view.image = try plain(10, 10, red)
            view.highlightedImage = try plain(10, 10, blue)
            let window = try await TestWindow(view.widget, width: 10, height: 10)
            defer { window.close() }
            _ = try await TestWindow.drawing(of: view.widget) { $0.bgra(5, 5) == red }
            view.isHighlighted = true
            let drawn = try await TestWindow.drawing(of: view.widget) { $0.bgra(5, 5) == blue }
            #expect(drawn?.bgra(5, 5) == blue)
            view.highlightedImage = nil
            let back = try await TestWindow.drawing(of: view.widget) { $0.bgra(5, 5) == red }
            #expect(back?.bgra(5, 5) == red)
        }

        @Test func alternativeTextReachesTheWidget() throws {
            let view = ImageView()
            view.alternativeText = "A red square"
            #expect(view.alternativeText == "A red square")
            #expect(gtk_accessible_get_accessible_role(view.widget) == GTK_ACCESSIBLE_ROLE_IMG)
            let picture = try #require(OpaquePointer(gtk_picture_new()))
            let adopted = try #require(ImageView.adopting(picture))
            adopted.alternativeText = "The same"
            #expect(gtk_picture_get_alternative_text(picture).map { String(cString: $0) } == "The same")
            #expect(try #require(ImageView.adopting(picture)).alternativeText == "The same")
        }

        @Test func loadAtTheViewsSizeWaitsForTheLayoutInDevicePixels() async throws {
            let loader = ControlledViewLoader()
            let view = ImageView()
            var context = WebImageContext.thumbnail(.viewSizeWithin(.seconds(60)))
            context[.customManager] = loader
            view.setImage(with: URL(fileURLWithPath: "/a"), context: context)
            #expect(loader.loads.isEmpty)
            let window = try await TestWindow(view.widget, width: 100, height: 50)
            defer { window.close() }
            #expect(try await pump { !loader.loads.isEmpty })
            #expect(loader.loads.first?.thumbnail == CGSize(width: 100, height: 50))
            view.setImage(with: URL(fileURLWithPath: "/b"), context: context)
            #expect(loader.loads.count == 2)
        }

        @Test func viewWithoutALayoutLoadsTheFullSizeAtTheDeadline() async throws {
            let loader = ControlledViewLoader()
            let view = ImageView()
            var context = WebImageContext.thumbnail(.viewSizeWithin(.milliseconds(20)))
            context[.customManager] = loader
            view.setImage(with: URL(fileURLWithPath: "/a"), context: context)
            #expect(try await pump { loader.loads.count == 1 })
            #expect(loader.loads.first?.thumbnail == nil)
        }
    }
}
