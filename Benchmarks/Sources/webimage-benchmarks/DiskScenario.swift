import CSQLitePeer
import Foundation
import Harness
import WebImage

/// Values by key on disk: ours, plain files, bare SQLite, and PyPI's `diskcache` where python3 has it.
///
/// Times are of one operation, in a folder that holds `entries` small values already.
struct DiskScenario {
    let entries: Int

    static func run(entries: [Int], sizes: [Int], rounds: Int) throws {
        // Nothing is held back from a file: it takes minutes.
        defer { fflush(nil) }
        print("disk: µs per value, median of \(rounds) rounds; put is with its share of the commit")
        for entries in entries { try DiskScenario(entries: entries).run(sizes: sizes, rounds: rounds) }
    }

    private func run(sizes: [Int], rounds: Int) throws {
        let folder = NSTemporaryDirectory() + "webimage-disk-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var rivals: [any DiskRival] = [
            try OurCache(folder + "/ours"), PlainFiles(folder + "/files"), try BareSQLite(folder + "/bare.sqlite"),
        ]
        if let python = PythonDiskCache(folder + "/diskcache") { rivals.append(python) }
        for rival in rivals { rival.fill(entries) }
        for (number, size) in sizes.enumerated() {
            measure(size, rivals, rounds: number * 100..<number * 100 + rounds)
        }
    }

    private func measure(_ bytes: Int, _ rivals: [any DiskRival], rounds: Range<Int>) {
        // Large values in smaller numbers: a turn is to write megabytes, not gigabytes.
        let count = max(20, min(200, (8 << 20) / bytes))
        var value = Data(count: bytes)
        for index in stride(from: 0, to: bytes, by: 3) { value[index] = UInt8.random(in: .min ... .max) }
        var puts = rivals.map { _ in [Double]() }
        var gets = puts
        for round in rounds {
            for offset in rivals.indices {
                let index = (offset + round) % rivals.count
                puts[index].append(rivals[index].put(value, count: count, round: round) / Double(count))
                gets[index].append(rivals[index].get(count: count, round: round) / Double(count))
            }
        }
        let cells = rivals.indices.map { index in
            let (put, get) = (puts[index].sorted(), gets[index].sorted())
            return "\(rivals[index].name) put \(Self.text(put[put.count / 2])) get \(Self.text(get[get.count / 2]))"
        }
        print("  \(entries) entries, \(bytes / 1024) KB:", cells.joined(separator: " | "))
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}

/// One way of keeping values on disk; times are microseconds for all of `count`.
protocol DiskRival {
    var name: String { get }
    func fill(_ entries: Int)
    func put(_ value: Data, count: Int, round: Int) -> Double
    func get(count: Int, round: Int) -> Double
}

private func microseconds(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    return clock.measure(body).milliseconds * 1000
}

private func key(_ index: Int, _ round: Int) -> String {
    "https://images.example.com/2024/\(round)/\(index).jpg?size=large"
}

private struct OurCache: DiskRival {
    let name = "webimage"
    private let cache: any DiskCaching

    init(_ path: String) throws {
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        let whole = ImageCache(namespace: "bench", diskCacheDirectory: path, config: config)
        guard let cache = whole.diskCache else { throw ScenarioError.peerFailed }
        self.cache = cache
    }

    func fill(_ entries: Int) {
        let small = Data(count: 200)
        for index in 0..<entries { cache.setData(small, forKey: key(index, -1)) }
        cache.flush()
    }

    func put(_ value: Data, count: Int, round: Int) -> Double {
        microseconds {
            for index in 0..<count { cache.setData(value, forKey: key(index, round)) }
            cache.flush()
        }
    }

    func get(count: Int, round: Int) -> Double {
        microseconds {
            for index in 0..<count where cache.data(forKey: key((index &* 79) % count, round)) == nil { fatalError() }
        }
    }
}

private struct PlainFiles: DiskRival {
    let name = "files"
    let path: String
    init(_ path: String) {
        self.path = path
        mkdir(path, 0o700)
    }

    func fill(_ entries: Int) {
        // A tenth of many: each waits for the file system's journal.
        for index in 0..<min(entries, 10_000) { _ = write(Data(count: 200), "\(-1)-\(index)") }
    }

    func put(_ value: Data, count: Int, round: Int) -> Double {
        microseconds { for index in 0..<count where !write(value, "\(round)-\(index)") { fatalError() } }
    }

    func get(count: Int, round: Int) -> Double {
        microseconds {
            for index in 0..<count where peer_file_read("\(path)/\(round)-\((index &* 79) % count)") < 0 {
                fatalError()
            }
        }
    }

    private func write(_ value: Data, _ name: String) -> Bool {
        value.withUnsafeBytes { peer_file_write("\(path)/\(name)", $0.baseAddress, $0.count) } == 0
    }
}

private final class BareSQLite: DiskRival {
    let name = "sqlite"
    private let handle: OpaquePointer

    init(_ path: String) throws {
        guard let handle = peer_sqlite_open(path) else { throw ScenarioError.peerFailed }
        self.handle = handle
    }

    deinit { peer_sqlite_close(handle) }

    func fill(_ entries: Int) {
        let small = Data(count: 200)
        peer_sqlite_begin(handle)
        for index in 0..<entries { put(small, key(index, -1)) }
        peer_sqlite_commit(handle)
    }

    func put(_ value: Data, count: Int, round: Int) -> Double {
        microseconds {
            peer_sqlite_begin(handle)
            for index in 0..<count { put(value, key(index, round)) }
            peer_sqlite_commit(handle)
        }
    }

    func get(count: Int, round: Int) -> Double {
        microseconds {
            for index in 0..<count where peer_sqlite_get(handle, key((index &* 79) % count, round)) < 0 { fatalError() }
        }
    }

    private func put(_ value: Data, _ key: String) {
        value.withUnsafeBytes { _ = peer_sqlite_put(handle, key, $0.baseAddress, $0.count) }
    }
}

/// Measured inside python, so that starting it counts for nobody.
private struct PythonDiskCache: DiskRival {
    let name = "diskcache"
    let path: String

    init?(_ path: String) {
        self.path = path
        guard Self.run("import diskcache; print(1)") != nil else { return nil }
    }

    func fill(_ entries: Int) {
        // A tenth: it takes milliseconds for each hundred.
        _ = script("for i in range(\(min(entries, 10_000))): c.set('-1/%d' % i, bytes(200))")
    }

    func put(_ value: Data, count: Int, round: Int) -> Double {
        script("v = os.urandom(\(value.count))\nt = time.time()\nfor i in range(\(count)): c.set('\(round)/%d' % i, v)")
    }

    func get(count: Int, round: Int) -> Double {
        script("t = time.time()\nfor i in range(\(count)): assert c.get('\(round)/%d' % (i * 79 % \(count)))")
    }

    private func script(_ body: String) -> Double {
        let text = """
            import diskcache, os, time
            c = diskcache.Cache('\(path)', size_limit=1 << 40)
            t = time.time()
            \(body)
            print((time.time() - t) * 1e6)
            """
        return Self.run(text) ?? .nan
    }

    private static func run(_ script: String) -> Double? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
