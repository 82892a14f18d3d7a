import CWebImageGTK
import Foundation
import Testing
import WebImage
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    /// Flings each list for 3 s, or for 20 s if WEBIMAGE_LONG is set. `Benchmarks/list` makes the same measurement on
    /// an idle machine.
    @Suite("Flung lists") @MainActor struct ListsFlingTests {
        private let seconds = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] == nil ? 3.0 : 20.0
        private let rows = 10_000
        private let folder: ScratchFolder
        private let manager: WebImageManager

        init() throws {
            try Display.open()
            folder = try ScratchFolder()
            var config = ImageCacheConfig()
            config.maxMemoryCost = 20_000_000
            let jpeg = try ImageCodersManager.shared.encode(
                try Image.generated(width: 400, height: 300) { (UInt8($0 & 255), UInt8($1 & 255), 90, 255) },
                format: .jpeg, options: EncodingOptions())
            manager = WebImageManager(
                cache: ImageCache(namespace: "fling", diskCacheDirectory: folder.url.path, config: config),
                loader: OnePictureLoader(picture: jpeg))
        }

        private func request(_ position: Int) -> ImageListRequest {
            ImageListRequest(
                URL(string: "https://images.test/\(position).jpg"),
                context: [.customManager: manager, .imageThumbnailPixelSize: CGSize(width: 96, height: 96)])
        }

        private func gtkList(_ factory: OpaquePointer) throws -> OpaquePointer {
            try #require(OpaquePointer(gtk_list_view_new(EmptyRows.model(rows), factory)))
        }

        private func emptyList() throws -> OpaquePointer {
            let factory = try #require(gtk_signal_list_item_factory_new())
            Signal.connect(factory, "setup") { item in
                guard let item, let picture = gtk_picture_new() else { return }
                gtk_widget_set_size_request(picture, -1, 96)
                gtk_list_item_set_child(item, picture)
            }
            return try gtkList(factory)
        }

        /// The additional processor time in milliseconds that a turn of the main loop may take, compared with an empty
        /// list. GTK binds about 200 rows in one turn. Unoptimised code takes ten times as long for these rows.
        #if DEBUG
            private static let allowance = 60.0
        #else
            private static let allowance = 8.0
        #endif

        /// The memory cache may grow by 20 MB. The rest, in megabytes, is for work in progress and for the allocator.
        private static let mostGrowth = 40.0

        @Test func flungListKeepsTheFrameRateOfAnEmptyList() async throws {
            let factory = ImageListFactory(request: request, make: { FixedRow(side: 96) })
            let fitting = FittingList(count: rows, request: request)
            // Run once, so that the allocations of the first use are not measured.
            _ = try await Fling.run(try emptyList(), seconds: 0.3)
            let empty = try await Fling.run(try emptyList(), seconds: seconds)
            let limit = empty.longestTurn + Sanitizer.seconds(Self.allowance)
            let pictures = try await Fling.best(within: limit, growth: Self.mostGrowth) {
                try await Fling.run(try gtkList(factory.retainedFactory()), seconds: seconds)
            }
            let fit = try await Fling.best(within: limit, growth: Self.mostGrowth) {
                try await Fling.run(fitting.widget, seconds: seconds)
            }
            print("lists: flung \(seconds) s, 10,000 rows: empty \(empty); pictures \(pictures); fitting \(fit)")
            #expect(pictures.frames > 20 && fit.frames > 20)
            // Compare the processor time of the thread, because other programs on the machine change the wall-clock
            // time.
            #expect(pictures.longestTurn <= limit)
            #expect(fit.longestTurn <= limit)
            #expect(pictures.growth < Self.mostGrowth && fit.growth < Self.mostGrowth)
        }
    }
}

/// The cost of a list that is flung up and down.
@MainActor struct Fling: CustomStringConvertible {
    /// The longest turn of the main loop, in milliseconds of the thread's processor time. `longestGap` is the longest
    /// turn in milliseconds of wall-clock time.
    private(set) var longestTurn = 0.0
    private(set) var longestGap = 0.0
    private(set) var frames = 0
    /// The growth of the process memory during the second half of the fling, in megabytes.
    private(set) var growth = 0.0

    nonisolated var description: String {
        String(
            format: "%.1f ms (gap %.1f ms) in %d frames, memory %+.1f MB", longestTurn, longestGap, frames, growth)
    }

    /// Runs up to three flings. Returns the first fling whose longest turn is within `limit` (in milliseconds) and during
    /// which the memory grew by less than `growth` (in megabytes), or else the last fling.
    ///
    /// One of hundreds of turns can be long if another program has replaced the contents of the processor's caches. The memory
    /// can grow once, when the allocator uses pages again that it had given back before this test; a leak grows each time.
    static func best(
        within limit: Double, growth: Double, _ run: () async throws -> Fling
    ) async throws -> Fling {
        for _ in 0..<2 {
            let fling = try await run()
            if fling.longestTurn <= limit, fling.growth < growth { return fling }
        }
        return try await run()
    }

    static func run(_ list: OpaquePointer, seconds: Double) async throws -> Fling {
        let window = try await ListWindow(list, width: 300, height: 600)
        defer { window.close() }
        try await window.rest()
        var fling = Fling()
        window.afterEveryFrame { fling.frames += 1 }
        let start = ContinuousClock.now
        var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }
        window.everyFrame {
            // A fling starts every second. Its speed decreases like that of a fling with a finger. Every third fling
            // scrolls back.
            let speed = 1000 * (1 - elapsed.truncatingRemainder(dividingBy: 1))
            window.value += Int(elapsed) % 3 == 2 ? -speed : speed
            return elapsed < seconds
        }
        var half: Double?
        while window.isDriven {
            let turn = (ContinuousClock.now, threadTime())
            // Each turn counts alone. On a busy machine the next frame is due when a turn ends, so that many follow at once.
            var begin = turn.1
            while g_main_context_iteration(nil, 0) != 0 {
                let end = threadTime()
                (fling.longestTurn, begin) = (max(fling.longestTurn, end - begin), end)
            }
            // Let the other tasks of the main actor run. These tasks show loaded images in the rows.
            await Task.yield()
            fling.longestGap = max(fling.longestGap, (ContinuousClock.now - turn.0) / .milliseconds(1))
            if half == nil, elapsed > seconds / 2 { half = residentMegabytes() }
        }
        fling.growth = residentMegabytes() - (half ?? 0)
        return fling
    }

    private static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }

    private static func residentMegabytes() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(getpagesize()) / 1e6
    }
}

/// A loader that immediately returns the same image for every URL.
private struct OnePictureLoader: ImageLoader {
    let picture: Data

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        ImageDataResult(data: picture, response: WebImageResponse(url: load.url))
    }
}
