import Foundation
import WebImage
import WebImageAVIF
import WebImageHEIF
import WebImageSVG
import WebImageSandbox

// Compares decoding in restricted processes with decoding in this process, in one run and by turns.
// webimage-sandbox [ROUNDS] [picture] [--only NAME]
//   ROUNDS    default 60
//   picture   a process for each picture
//   --only    pictures whose name contains NAME
@main
enum SandboxBenchmark {
    static let here = ImageCodersManager.shared.coders
    static let hereManager = ImageCodersManager(coders: here)
    static let isolated = ImageCodersManager(coders: here)
    static let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 60

    static func photo(_ width: Int, _ height: Int, _ format: ImageFormat, quality: Double = 0.85) throws -> Data {
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        var seed: UInt32 = 1
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    seed = seed &* 1_664_525 &+ 1_013_904_223
                    let noise = Int(seed >> 27)
                    let start = y * pixels.bytesPerRow + x * 4
                    bytes[start] = UInt8(clamping: 128 + (x * 90 / width) + noise)
                    bytes[start + 1] = UInt8(clamping: 90 + (y * 120 / height) + noise)
                    bytes[start + 2] = UInt8(clamping: 60 + ((x + y) % 256) / 2 + noise)
                    bytes[start + 3] = 255
                }
            }
        }
        var options = EncodingOptions()
        options.quality = quality
        return try hereManager.encode(Image(pixels: pixels), format: format, options: options)
    }

    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    static func isWanted(_ name: String) -> Bool {
        guard let index = CommandLine.arguments.firstIndex(of: "--only"), index + 1 < CommandLine.arguments.count else {
            return true
        }
        return name.contains(CommandLine.arguments[index + 1])
    }

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// The processor time of this process and of each worker, in seconds. A worker has one thread.
    static func processorTimes() -> [String: Double] {
        var times: [String: Double] = [:]
        for worker in workers() {
            let text = (try? String(contentsOfFile: "/proc/\(worker)/schedstat", encoding: .utf8)) ?? ""
            times[worker] = text.split(separator: " ").first.flatMap { Double($0) }.map { $0 / 1e9 }
        }
        var own = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own)
        times["self"] = Double(own.tv_sec) + Double(own.tv_nsec) / 1e9
        return times
    }

    /// Returns the processor time of `body` in this process and its workers.
    static func processorTime(_ body: () throws -> Void) rethrows -> Double {
        let before = processorTimes()
        try body()
        return processorTimes().map { $0.value - (before[$0.key] ?? 0) }.reduce(0, +)
    }

    static func workers() -> [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.flatMap { task in
            ((try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)) ?? "").split(
                separator: " "
            )
            .map(String.init)
        }
    }

    static func memory(_ process: String) -> (shared: Int, own: Int) {
        let text = (try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)) ?? ""
        func value(_ name: String) -> Int {
            text.split(separator: "\n").filter { $0.hasPrefix(name) }.compactMap {
                Int($0.split(whereSeparator: { $0 == " " || $0 == "\t" })[1])
            }.reduce(0, +)
        }
        return (value("Pss:"), value("Private_"))
    }

    static func text(_ value: Double, _ digits: Int = 2) -> String { String(format: "%.\(digits)f", value) }

    /// Measures by turns, so that other load of the machine affects both alike.
    static func compare(_ name: String, _ data: Data, thumbnail: PixelSize? = nil, times: Int = 1, limit: String) throws
    {
        guard isWanted(name) else { return }
        var options = DecodingOptions()
        options.thumbnailPixelSize = thumbnail
        for coders in [hereManager, isolated] { for _ in 0..<3 { _ = try coders.decode(data, options: options) } }
        var (own, there) = ([Double](), [Double]())
        for _ in 0..<rounds {
            own.append(
                try seconds { for _ in 0..<times { _ = try hereManager.decode(data, options: options) } }
                    / Double(times))
            there.append(
                try seconds { for _ in 0..<times { _ = try isolated.decode(data, options: options) } } / Double(times))
        }
        let (a, b) = (median(own), median(there))
        var processor: [Double] = [.infinity, .infinity]
        for _ in 0..<5 {
            for (index, coders) in [hereManager, isolated].enumerated() {
                let time = try processorTime {
                    for _ in 0..<4 * times { _ = try coders.decode(data, options: options) }
                }
                processor[index] = min(processor[index], time / Double(4 * times))
            }
        }
        print(
            "| \(name) | \(text(a * 1e6, 0)) | \(text(b * 1e6, 0)) | \(text(b / a)) | \(text((b - a) * 1e6, 0)) | "
                + "\(text(processor[1] / processor[0])) | \(text((processor[1] - processor[0]) * 1e6, 0)) | \(limit) |")
    }

    static func burst(_ name: String, _ data: Data, thumbnail: PixelSize?, count: Int, limit: String) throws {
        guard isWanted(name) else { return }
        var options = DecodingOptions()
        options.thumbnailPixelSize = thumbnail
        let wanted = options
        func run(_ coders: ImageCodersManager) -> Double {
            seconds {
                DispatchQueue.concurrentPerform(iterations: 2) { _ in
                    for _ in 0..<count { _ = try? coders.decode(data, options: wanted) }
                }
            }
        }
        _ = (run(hereManager), run(isolated))
        var (own, there) = ([Double](), [Double]())
        for _ in 0..<7 {
            own.append(run(hereManager))
            there.append(run(isolated))
        }
        let (a, b) = (median(own), median(there))
        print(
            "| \(name) | \(text(Double(2 * count) / a, 0)) | \(text(Double(2 * count) / b, 0)) | \(text(a / b)) | \(limit) |"
        )
    }

    /// The time of a request for which a worker must be started, without that of the decode.
    static func coldStarts(_ data: Data) throws -> [Double] {
        func decode() throws { _ = try isolated.decode(data, options: DecodingOptions()) }
        return try (0..<15).map { _ in
            for worker in workers() { kill(Int32(worker) ?? 0, SIGKILL) }
            while WebImageSandbox.statistics?.workers != 0 { usleep(1000) }
            // After deaths, four workers a second may start.
            usleep(300_000)
            return try seconds(decode) - (try seconds(decode))
        }
    }

    /// The median processor time of `enable()` in processes of their own, because a process enables the sandbox once.
    static func enabling() throws -> Double {
        var values: [Double] = []
        for _ in 0..<15 {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            (process.arguments, process.standardOutput) = (["enable"], output)
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            if let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) { values.append(value) }
        }
        return median(values)
    }

    static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func main() {
        do {
            if CommandLine.arguments.dropFirst().first == "enable" {
                // The list itself is made by the first picture of any program.
                _ = isolated.coders
                let start = threadTime()
                try WebImageSandbox.enable(coders: isolated)
                print(threadTime() - start)
                return
            }
            let isForEach = CommandLine.arguments.contains("picture")
            var configuration = WebImageSandbox.Configuration()
            if isForEach { configuration.picturesPerWorker = 1 }
            let enabling = try enabling()
            try WebImageSandbox.enable(configuration, coders: isolated)
            let large = try photo(3000, 2000, .jpeg)
            let small = try photo(320, 240, .jpeg)
            let medium = try photo(500, 333, .jpeg)
            let png = try photo(1000, 1000, .png)
            let gif = try photo(32, 24, .gif)
            print(
                "enable(): \(text(enabling * 1e6, 1)) µs of processor time; \(ProcessInfo.processInfo.activeProcessorCount) cores, \(rounds) rounds"
            )
            print("")
            print(
                "| Picture | this process, µs | worker, µs | ratio | difference, µs | CPU ratio | CPU difference, µs | aim |"
            )
            print("|---|---|---|---|---|---|---|---|")
            if isForEach {
                let box = PixelSize(width: 100, height: 50)
                try compare("JPEG 500 × 333 → 100 × 50", medium, thumbnail: box, limit: "–")
                try compare("JPEG 320 × 240", small, limit: "–")
                return
            }
            try compare("JPEG 6 MP → 256 px", large, thumbnail: PixelSize(width: 256, height: 256), limit: "1.15")
            try compare("JPEG 6 MP", large, limit: "1.25")
            try compare("PNG 1000 × 1000", png, limit: "1.15")
            try compare("JPEG 320 × 240", small, times: 10, limit: "1.4")
            try compare(
                "JPEG 500 × 333 → 100 × 50", medium, thumbnail: PixelSize(width: 100, height: 50), times: 10, limit: "–"
            )
            try compare("GIF \(gif.count) bytes", gif, times: 100, limit: "+80 µs")
            print("")
            print("| Burst of two threads | this process, per s | workers, per s | ratio | aim |")
            print("|---|---|---|---|---|")
            try burst(
                "JPEG 6 MP → 256 px", large, thumbnail: PixelSize(width: 256, height: 256), count: 20, limit: "0.9")
            try burst("JPEG 320 × 240", small, thumbnail: nil, count: 300, limit: "0.7")
            print("")
            for coder in [ImageAVIFCoder.shared, ImageHEICCoder.shared, ImageSVGCoder.shared] as [any ImageCoder] {
                isolated.addCoder(coder)
            }
            let further = try [
                (ImageAVIFCoder.shared as any ImageCoder, ImageFormat.avif), (ImageHEICCoder.shared, .heic),
            ]
            .map { coder, format in
                try coder.encode(
                    try hereManager.decode(small, options: DecodingOptions()), format: format,
                    options: EncodingOptions())
            }
            let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>a</text></svg>".utf8)
            for data in further + [drawing] { _ = try isolated.decode(data, options: DecodingOptions()) }
            func reportMemory(_ state: String) {
                let all = workers().map { memory($0) }
                for memory in all { print("worker \(state): PSS \(memory.shared) KB, private \(memory.own) KB") }
                print("all: PSS \(all.map(\.shared).reduce(0, +)) KB, private \(all.map(\.own).reduce(0, +)) KB")
            }
            reportMemory("after work")
            sleep(3)
            reportMemory("at rest")
            let starts = try coldStarts(gif).sorted()
            print(
                "request to ready: median \(text(median(starts) * 1e3)) ms, "
                    + "\(text(starts[0] * 1e3)) to \(text(starts[starts.count - 1] * 1e3)) ms")
            for formats in [[ImageFormat.jpeg], [.avif], [.heic], [.svg]] {
                var times: [Double] = []
                for _ in 0..<7 { times.append(try seconds { _ = try WebImageSandbox.protections(of: formats) }) }
                print("start to ready and end, \(formats[0]): \(text(median(times) * 1e3)) ms")
            }
            if CommandLine.arguments.contains("--idle") {
                _ = readLine()
            }
        } catch {
            print("\(error)")
            exit(1)
        }
    }
}
