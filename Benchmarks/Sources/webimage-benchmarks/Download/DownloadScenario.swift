import Foundation
import Harness
import WebImageTesting

/// Compares downloads of 500 files of 20 KB and of 20 files of 5 MB from an nginx server on this machine. The
/// competitors are our library, a C program with libcurl, `curl --parallel`, Python's aiohttp and Foundation's
/// `URLSession`.
///
/// Each competitor runs in a separate process, which `webimage-measured` measures. A second process of the competitor
/// fetches only one file, so its time is mostly the start of the process. This time is subtracted. The reported memory
/// is the peak of the whole process.
struct DownloadScenario {
    private let nginx: NginxServer
    private let folder: ScratchFolder
    private let options: Options

    static func run(_ options: Options, _ report: Report) throws {
        guard NginxServer.isAvailable else { throw ScenarioError.missing("nginx or openssl is not installed") }
        let scenario = DownloadScenario(nginx: try NginxServer(), folder: try ScratchFolder(), options: options)
        defer { scenario.nginx.stop() }
        try scenario.run(report)
    }

    private func run(_ report: Report) throws {
        print("download: without starting; 6 at a time")
        for (count, size) in [(500, 20_000), (20, 5_000_000)] {
            var generator = SystemRandomNumberGenerator()
            for number in 0..<count {
                let bytes = (0..<size / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
                try Data(bytes).write(to: nginx.root.appendingPathComponent("\(size)-\(number).bin"))
            }
            for isSecure in [false, true] { report.add(try measure(job(count, size, isSecure: isSecure))) }
        }
    }

    private func job(_ count: Int, _ size: Int, isSecure: Bool) -> DownloadJob {
        let urls = (0..<count).map { number in
            let path = "/\(size)-\(number).bin"
            return (isSecure ? nginx.secureURL(path) : nginx.url(path)).absoluteString
        }
        return DownloadJob(
            name: "\(count) x \(size / 1000) KB, \(isSecure ? "HTTP/2 over TLS" : "HTTP/1.1")", urls: urls,
            bytes: size / 8 * 8 * count, concurrency: 6, certificate: isSecure ? nginx.certificateFile.path : nil)
    }

    private func measure(_ job: DownloadJob) throws -> ContestResult {
        var rivals = [DownloadCompetitor.ours, .multi, .curl]
        if job.certificate == nil { rivals += [.urlSession] + (Self.python.map { [.aiohttp($0)] } ?? []) }
        let (whole, one) = (try list(job.urls), try list([job.urls[0]]))
        var samples = rivals.map { _ in (full: [MeasuredProcess](), idle: [MeasuredProcess]()) }
        for round in 0..<min(options.rounds(9, quick: 2), 9) + 1 {
            for offset in rivals.indices {
                // Each round starts with a different competitor, so that a competitor does not always run after the
                // same predecessor. Round 0 is a warm-up round and is not counted.
                let index = (offset + round) % rivals.count
                let idle = try MeasuredProcess.run(rivals[index].command(one, job))
                let full = try MeasuredProcess.run(rivals[index].command(whole, job))
                guard DownloadCompetitor.bytes(full.output) == job.bytes else {
                    throw ScenarioError.disagree("\(rivals[index].name) got \(full.output) of \(job.bytes) bytes")
                }
                guard round > 0 else { continue }
                samples[index].full.append(full)
                samples[index].idle.append(idle)
            }
        }
        let entries = zip(rivals, samples).map { rival, sample in
            let starting = sample.idle.map(\.wall).median
            let cost = Cost(
                cpu: sample.full.map(\.cpu).median - sample.idle.map(\.cpu).median,
                memory: Int(sample.full.map { Double($0.memory) }.median),
                instructions: instructions(rival, whole, one, job), counts: ["ms to start": starting])
            return ContestResult.Entry(
                name: rival.name, milliseconds: sample.full.map { $0.wall - starting }, cost: cost)
        }
        return ContestResult(
            name: "download \(job.name)", target: 1.1, cpuTarget: job.urls.count > 100 ? 1.25 : 1.15, entries: entries)
    }

    private func instructions(_ rival: DownloadCompetitor, _ whole: String, _ one: String, _ job: DownloadJob) -> Int? {
        guard options.countsInstructions, let counter = InstructionCounter.present else { return nil }
        guard let full = try? counter.count(rival.command(whole, job)),
            let idle = try? counter.count(rival.command(one, job))
        else { return nil }
        return full - idle
    }

    private func list(_ urls: [String]) throws -> String {
        let file = folder.url.appendingPathComponent("\(UUID().uuidString).txt")
        try Data(urls.joined(separator: "\n").utf8).write(to: file)
        return file.path
    }

    /// The Python interpreter that `./setup` created, if it can import aiohttp. Otherwise the system's `python3`, or
    /// nil if neither of these two interpreters can import aiohttp.
    private static let python: String? = [LinePeer.python, "python3"].first { path in
        (try? MeasuredProcess.run([path, "-c", "import aiohttp"])) != nil
    }
}
