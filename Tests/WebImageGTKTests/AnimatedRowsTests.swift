import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Scrolls 80 rows that play GIFs. Compares the cost with that of 80 rows that show only first frames.
    @Suite("Animated rows") @MainActor struct AnimatedRowsTests {
        private static let rows = 80
        /// Half of the bytes of all frames.
        private static let budget = rows * 12 * side * side * 4 / 2
        private static let side = 96
        private let journey: ViewJourney

        init() throws {
            try Display.open()
            journey = try ViewJourney()
            for number in 0..<Self.rows {
                journey.server.route("/\(number).gif", .body(try Self.file(number), type: "image/gif"))
            }
        }

        /// Returns an animation of 12 frames. Only one quarter of the image changes between two frames.
        private static func file(_ number: Int) throws -> Data {
            try ImageCodersManager.shared.encode(
                frameCount: 12, loopCount: 0, format: .gif, options: EncodingOptions()
            ) { frame throws(WebImageError) in
                let image = try Image.generated(width: side, height: side) { x, y in
                    let moves = x < side / 2 && y < side / 2
                    return (UInt8((x * 3 + (moves ? frame * 20 : 0)) & 255), UInt8(y * 2), UInt8(number), 255)
                }
                return ImageFrame(image: image, duration: 0.05)
            }
        }

        private struct Figures {
            var processorSeconds = 0.0
            var longestGap = Duration.zero
            var frames = 0
            var mostFrameBytes = 0
            var memory = 0
        }

        private static func processorSeconds() -> Double {
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
            return seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }

        /// Scrolls to the last row and back, by a third of a row per frame. Then draws 60 frames without scrolling.
        private func scroll(_ options: WebImageOptions) async throws -> Figures {
            let journey = journey
            let factory = ImageListFactory(
                request: { position in
                    ImageListRequest(
                        journey.server.url("/\(position).gif"), options: options,
                        context: [
                            .customManager: journey.manager,
                            .imageThumbnailPixelSize: CGSize(width: Self.side, height: Self.side),
                        ])
                },
                make: { FixedRow(side: Self.side) })
            let model = EmptyRows.model(Self.rows)
            let list = try #require(OpaquePointer(gtk_list_view_new(model, factory.retainedFactory())))
            let window = try await ListWindow(list, width: 200, height: 600)
            defer { window.close() }
            var figures = Figures()
            let memory = ProcessMemory.isMeasurable ? (try? Self.residentBytes()) ?? 0 : 0
            let start = Self.processorSeconds()
            var last = ContinuousClock.now
            let end = Double((Self.rows - 7) * Self.side)
            var step = 32.0
            var rest = 60
            window.everyFrame {
                let now = ContinuousClock.now
                figures.longestGap = max(figures.longestGap, now - last)
                last = now
                figures.frames += 1
                figures.mostFrameBytes = max(figures.mostFrameBytes, FrameStoreRegistry.shared.byteCount)
                let next = window.value + step
                if next >= end { step = -step }
                if next > 0 {
                    window.value = min(next, end)
                    return true
                }
                rest -= 1
                return rest > 0
            }
            var isOver = false
            for _ in 0..<12 where !isOver { isOver = try await pump { !window.isDriven } }
            #expect(isOver)
            figures.processorSeconds = Self.processorSeconds() - start
            figures.memory = ProcessMemory.isMeasurable ? ((try? Self.residentBytes()) ?? 0) - memory : 0
            let playing = FixedRow.all.filter(\.imageView.isAnimating)
            #expect(options.contains(.decodeFirstFrameOnly) ? playing.isEmpty : !playing.isEmpty)
            // Only visible rows play. At most eight rows are visible.
            #expect(playing.count <= 8)
            return figures
        }

        @Test func rowsOfAnimationsStayWithinTheBudget() async throws {
            let usual = FrameStoreRegistry.shared.budget
            FrameStoreRegistry.shared.budget = Self.budget
            defer { FrameStoreRegistry.shared.budget = usual }
            for options in [WebImageOptions.decodeFirstFrameOnly, []] {
                let figures = try await scroll(options)
                let kind = options.isEmpty ? "animated" : "first frames"
                print(
                    "\(Self.rows) GIF rows, \(kind): \(figures.processorSeconds) s of CPU in \(figures.frames) frames,",
                    "longest gap \(figures.longestGap), frames \(figures.mostFrameBytes >> 10) KB,",
                    "memory \(figures.memory >> 10) KB")
                // Frames are in memory for visible rows and for rows that have just left the viewport.
                #expect(figures.mostFrameBytes <= FrameStoreRegistry.shared.budget)
                journey.cache.clearMemory()
            }
        }

        private static func residentBytes() throws -> Int {
            let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return (Int(fields[1]) ?? 0) * 4096
        }
    }
}
