import Foundation
import WebImageTesting

/// Many small files and a few large ones from an nginx on this machine: ours, `curl --parallel` and Python's aiohttp.
///
/// Each is a process of its own, measured from outside. What a process costs that fetches one file, which is mostly
/// starting, is measured alike and taken off.
struct DownloadScenario {
    private let nginx: NginxServer
    private let folder: ScratchFolder
    private let rounds: Int

    static func run(rounds: Int) throws {
        guard NginxServer.isAvailable else { throw DownloadError.failed("nginx or openssl is not installed") }
        let scenario = DownloadScenario(nginx: try NginxServer(), folder: try ScratchFolder(), rounds: rounds)
        defer { scenario.nginx.stop() }
        try scenario.run()
    }

    private func run() throws {
        print("download: wall and CPU ms without starting, median of \(rounds) rounds; 6 at a time")
        for (count, size) in [(500, 20_000), (20, 5_000_000)] {
            var generator = SystemRandomNumberGenerator()
            for number in 0..<count {
                let bytes = (0..<size / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
                try Data(bytes).write(to: nginx.root.appendingPathComponent("\(size)-\(number).bin"))
            }
            for isSecure in [false, true] { try measure(job(count, size, isSecure: isSecure)) }
        }
        fflush(nil)
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

    private func measure(_ job: DownloadJob) throws {
        var rivals = [DownloadRival.ours, .curl]
        if job.certificate == nil, let python = Self.python { rivals.append(.aiohttp(python)) }
        let (whole, one) = (try list(job.urls), try list([job.urls[0]]))
        var samples = rivals.map { _ in (wall: [Double](), cpu: [Double](), idleWall: [Double](), idleCPU: [Double]()) }
        for round in 0..<rounds + 1 {
            for offset in rivals.indices {
                // Who comes first changes every round; the first round does not count.
                let index = (offset + round) % rivals.count
                let idle = try MeasuredProcess.run(rivals[index].command(one, job))
                let full = try MeasuredProcess.run(rivals[index].command(whole, job))
                guard DownloadRival.bytes(full.output) == job.bytes else {
                    throw DownloadError.failed("\(rivals[index].name) got \(full.output) of \(job.bytes) bytes")
                }
                guard round > 0 else { continue }
                samples[index].wall.append(full.wall)
                samples[index].cpu.append(full.cpu)
                samples[index].idleWall.append(idle.wall)
                samples[index].idleCPU.append(idle.cpu)
            }
        }
        print("  \(job.name)")
        let net = samples.map { (wall: $0.wall.median - $0.idleWall.median, cpu: $0.cpu.median - $0.idleCPU.median) }
        for (index, rival) in rivals.enumerated() {
            var line = "    " + rival.name.padding(toLength: 16, withPad: " ", startingAt: 0)
            line += String(format: "wall %8.1f  cpu %8.1f", net[index].wall, net[index].cpu)
            line += String(
                format: "   (starting %.1f, %.1f)", samples[index].idleWall.median, samples[index].idleCPU.median)
            if index > 0 {
                let (wall, cpu) = (net[0].wall / net[index].wall, net[0].cpu / net[index].cpu)
                line += String(format: "   ours is %.2fx wall, %.2fx cpu", wall, cpu)
                if index == 1 { line += wall <= 1.2 && cpu <= 1.5 ? "  met" : "  MISSED (<= 1.2, 1.5)" }
            }
            print(line)
        }
    }

    private func list(_ urls: [String]) throws -> String {
        let file = folder.url.appendingPathComponent("\(UUID().uuidString).txt")
        try Data(urls.joined(separator: "\n").utf8).write(to: file)
        return file.path
    }

    /// The interpreter that `./setup` made, else the system's if it has aiohttp.
    private static let python: String? = [".venv/bin/python3", "/usr/bin/env python3"].first { path in
        let words = path.split(separator: " ").map(String.init)
        return (try? MeasuredProcess.run(words + ["-c", "import aiohttp"])) != nil
    }
}

extension [Double] {
    fileprivate var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}
