import Foundation
import Harness
import WebImage
import WebImageTesting

/// Requests many pictures at the same time, each as a thumbnail of 256 px. Measures the times of the first picture and
/// of the last picture, and the median and the 99th percentile of all times.
///
/// Every competitor is a separate process that reads the files. Most of these processes start before the first round.
/// `vipsthumbnail` starts in each round, so its time includes the start of the process. Its time also includes the
/// time to write the thumbnails to files.
struct BurstScenario {
    private let folder: ScratchFolder
    private let options: Options

    static func run(_ options: Options, _ report: Report) throws {
        let scenario = BurstScenario(folder: try ScratchFolder(), options: options)
        let (photos, small, large) = (
            try scenario.copies(of: "photo.jpg", options.isQuick ? 20 : 60),
            try scenario.small(options.isQuick ? 100 : 500),
            try scenario.copies(of: "large-4000x3000.jpg", options.isQuick ? 5 : 20)
        )
        // `parts` is the target. The first photo must arrive within 0.15 of the time until the last photo arrives.
        // Half of the photos must arrive within 0.62 of this time.
        try scenario.contest("\(photos.count) photos of 6 MP", photos, parts: (0.15, 0.62), report)
        try scenario.contest("\(small.count) small pictures", small, report)
        try scenario.contest(
            "\(large.count) pictures of 12 MP, then 200 small ones", large + small.prefix(200), report)
    }

    private func contest(
        _ name: String, _ files: [String], parts: (first: Double, median: Double)? = nil,
        _ report: Report
    ) throws {
        let arrivals = try Arrivals.burst(files)
        let rivals =
            [LatencyCompetitor.ours(), .oursByLibjpeg()] + LatencyCompetitor.peers(network: false)
        var competitors = rivals.map { rival in
            Contest.Competitor(
                rival.peer.name, prepare: rival.peer.start, process: { rival.peer.pid },
                run: { try rival.run(arrivals) })
        }
        if let vips = vipsThumbnail(files) { competitors.append(vips) }
        var result = try Contest("burst, " + name, changesState: true, competitors)
            .run(rounds: options.rounds(9, quick: 2), warmUps: 1)
        for (index, rival) in rivals.enumerated() {
            rival.forgetFirstRound()
            // Each value is the median of all rounds except the warm-up round.
            result.entries[index].cost.counts = [
                "ms to the first": rival.median(\.first), "ms to the median": rival.median(\.median),
                "ms to the 99th of 100": rival.median { $0.percentile(99) },
            ]
        }
        report.add(result)
        let ours = rivals[0]
        let (first, median) = (
            ours.median { $0.first / $0.last }, ours.median { $0.median / $0.last }
        )
        print(String(format: "  ours: first at %.2f of the whole, median at %.2f", first, median), terminator: "")
        if let parts {
            let isMet = first <= parts.first && median <= parts.median
            print(
                String(format: "  %@ (<= %.2f, %.2f)", isMet ? "met" : "MISSED", parts.first, parts.median),
                terminator: "")
        }
        print()
        report.add(
            ContestResult(
                name: "burst, \(name), each picture",
                entries: rivals.map { .init(name: $0.peer.name, milliseconds: $0.all.sorted) }))
    }

    private func vipsThumbnail(_ files: [String]) -> Contest.Competitor? {
        guard (try? MeasuredProcess.run(["vipsthumbnail", "--version"])) != nil else { return nil }
        let output = folder.url.path + "/out"
        try? FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        return Contest.Competitor("vipsthumbnail, as a process") {
            _ = try MeasuredProcess.run(
                ["vipsthumbnail", "--size", "256x256", "--output", output + "/%s.png[compression=0]"] + files)
        }
    }

    private func copies(of name: String, _ count: Int) throws -> [String] {
        try write(try Data(contentsOf: options.data.appendingPathComponent(name)), "\(count)-\(name)-", count)
    }

    /// Writes `count` copies of a JPEG of about 20 KB and returns their paths.
    private func small(_ count: Int) throws -> [String] {
        try write(try Inputs(folder: options.data).smallPhoto(), "small-", count)
    }

    private func write(_ data: Data, _ prefix: String, _ count: Int) throws -> [String] {
        try (0..<count).map { number in
            let file = folder.url.appendingPathComponent("\(prefix)\(number).jpg")
            try data.write(to: file)
            return file.path
        }
    }
}

extension Inputs {
    /// Returns a JPEG of about 20 KB whose longer side is 320 px.
    func smallPhoto() throws -> Data {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 320, height: 320)
        let coders = ImageCodersManager.shared
        let photo = try coders.decode(data("photo-1000x1000.jpg"), options: options)
        return try coders.encode(photo, format: .jpeg, options: EncodingOptions())
    }
}
