import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Views that load one picture after another: the same one, another one, none, and some that fail.
    @Suite("Pictures in turn") @MainActor struct ViewTurnsTests {
        enum Kind: CaseIterable {
            case view, animated, picture, image
        }

        private enum Answer: CaseIterable {
            case red, blue, animation, nothing, missing, garbage

            /// The colour of the picture as blue, green, red and alpha; nil if the view must be empty.
            var bgra: [UInt8]? {
                switch self {
                case .red: [0, 0, 255, 255]
                case .blue: [255, 0, 0, 255]
                case .animation: [0, 255, 0, 255]
                case .nothing, .missing, .garbage: nil
                }
            }
        }

        let journey: ViewJourney

        init() throws {
            try Display.open()
            journey = try ViewJourney()
            for answer in Answer.allCases {
                guard let bgra = answer.bgra else { continue }
                func plain(_ last: UInt8) throws(WebImageError) -> Image {
                    try Image.generated(width: 90, height: 60) { x, y in
                        // The last pixel makes the frames of an animation different.
                        x == 89 && y == 59 ? (last, last, last, 255) : (bgra[0], bgra[1], bgra[2], bgra[3])
                    }
                }
                let file: Data
                if answer == .animation {
                    file = try ImageCodersManager.shared.encode(
                        frameCount: 2, loopCount: 0, format: .gif, options: EncodingOptions()
                    ) { number throws(WebImageError) in
                        ImageFrame(image: try plain(UInt8(number)), duration: 0.03)
                    }
                } else {
                    file = try ImageCodersManager.shared.encode(try plain(0), format: .png, options: EncodingOptions())
                }
                journey.server.route("/\(answer)", .body(file))
            }
            journey.server.route("/garbage", .body(Data("no picture".utf8)))
        }

        private func makeView(_ kind: Kind) throws -> ImageView {
            switch kind {
            case .view: return ImageView()
            case .animated: return AnimatedImageView()
            case .picture:
                let picture = try #require(OpaquePointer(gtk_picture_new()))
                return try #require(ImageView.adopting(picture))
            case .image:
                let image = try #require(OpaquePointer(gtk_image_new()))
                return try #require(ImageView.adopting(image))
            }
        }

        /// After each load, the view draws the picture of the last request, or nothing. Pictures come from the server, from
        /// memory and from disk, and the view has another size from time to time.
        @Test(arguments: Kind.allCases, 1...3 as ClosedRange<UInt64>)
        func viewShowsThePictureOfItsLastRequest(_ kind: Kind, _ seed: UInt64) async throws {
            var random = SeededRandom(seed: seed)
            let view = try makeView(kind)
            let window = try await TestWindow(view.widget, width: 64, height: 64)
            defer { window.close() }
            let choices: [WebImageOptions] = [[], .delayPlaceholder, .retryFailed, .refreshCached, .queryDiskDataSync]
            var last: [Answer] = []
            for step in 0..<30 {
                let answer =
                    random.next() % 4 == 0 ? last.last ?? .red : Answer.allCases.randomElement(using: &random) ?? .red
                last.append(answer)
                let name = "seed \(seed), step \(step): \(last.suffix(4))"
                if random.next() % 4 == 0 { journey.cache.clearMemory() }
                if random.next() % 5 == 0 {
                    let side = gint(32 + random.next() % 3 * 32)
                    gtk_widget_set_size_request(view.gtkWidget(), side, side)
                }
                let options = choices[Int(random.next() % UInt64(choices.count))]
                let isOvertaken = random.next() % 5 == 0
                let first = ViewAnswer()
                if isOvertaken {
                    let other = Answer.allCases.randomElement(using: &random) ?? .blue
                    view.setImage(
                        with: other == .nothing ? nil : journey.server.url("/\(other)"), context: journey.context,
                        completed: first.hear)
                }
                let heard = ViewAnswer()
                view.setImage(
                    with: answer == .nothing ? nil : journey.server.url("/\(answer)"), options: options,
                    context: journey.context, completed: heard.hear)
                #expect(try await pump { heard.count == 1 && first.count == (isOvertaken ? 1 : 0) }, "\(name)")
                guard let bgra = answer.bgra else {
                    #expect(heard.error != nil && view.image == nil && view.paintable == nil, "\(name)")
                    continue
                }
                #expect(heard.error == nil && heard.image != nil, "\(name)")
                let drawn = try await TestWindow.drawing(of: view.widget) {
                    $0.bgra($0.pixelSize.width / 2, $0.pixelSize.height / 2) == bgra
                }
                let size = try #require(drawn?.pixelSize)
                #expect(drawn?.bgra(size.width / 2, size.height / 2) == bgra, "\(name)")
            }
        }
    }
}
