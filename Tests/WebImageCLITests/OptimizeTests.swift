import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests `webimage optimize`: what is written, and what stays as it is.
@Suite(.timeLimit(minutes: 3))
struct OptimizeTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }
    private func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    /// Writes a picture that can become smaller.
    @discardableResult
    private func write(_ name: String, _ format: ImageFormat = .png, side: Int = 120) throws -> Data {
        var options = EncodingOptions()
        options.effort = 1
        options.keepsPixelLayout = true
        let image = try Image.generated(width: side, height: side) { x, y in
            let value = UInt8(truncatingIfNeeded: x * x / 9 + y * 3)
            return (value, UInt8(truncatingIfNeeded: y), value / 2, 255)
        }
        let file = try ImageCodersManager.shared.encode(image, format: format, options: options)
        let url = scratch.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try file.write(to: url)
        return file
    }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.run(["optimize"] + arguments, in: scratch.url.path)
    }

    private func status(_ name: String) -> stat {
        var status = stat()
        lstat(path(name), &status)
        return status
    }

    private func pixels(_ file: Data) throws -> [UInt8] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let buffer = try ImageCodersManager.shared.decode(file, options: options).pixels
        return buffer.withUnsafeBytes { bytes in
            (0..<buffer.height).flatMap { bytes[$0 * buffer.bytesPerRow..<$0 * buffer.bytesPerRow + buffer.width * 4] }
        }
    }

    private var parts: [String] {
        let names = FileManager.default.enumerator(atPath: scratch.url.path)?.allObjects as? [String] ?? []
        return names.filter { $0.hasSuffix(".part") }
    }

    @Test func aFolderBecomesSmallerAndItsFilesKeepTheirProperties() throws {
        let formats: [(String, ImageFormat)] = [("a/x.png", .png), ("a/b/y.jpg", .jpeg)]
        var before: [String: Data] = [:]
        for (name, format) in formats {
            before[name] = try write(name, format)
            chmod(path(name), 0o640)
            utimensat(
                AT_FDCWD, path(name), [timespec(tv_sec: 1_000_000_000, tv_nsec: 5), timespec(tv_sec: 999, tv_nsec: 7)],
                0)
        }
        try write("a/z.webp", .webP)
        let webP = try data("a/z.webp")
        let outcome = try run("--recursive", "a", "--json")
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        let objects = try outcome.objects()
        #expect(objects.map { $0["state"] as? String } == ["optimized", "optimized", "kept", nil])
        #expect(objects.last?["files"] as? Int == 3 && objects.last?["optimized"] as? Int == 2)
        var sum = 0
        for (name, _) in formats {
            let (new, old) = (try data(name), try #require(before[name]))
            #expect(new.count < old.count)
            #expect(try pixels(new) == pixels(old), "\(name)")
            let status = status(name)
            #expect(status.st_mode & 0o7777 == 0o640 && status.st_mtim.tv_sec == 999 && status.st_mtim.tv_nsec == 7)
            sum += new.count
        }
        #expect(objects.last?["bytesAfter"] as? Int == sum + webP.count)
        #expect(try data("a/z.webp") == webP && parts.isEmpty)
    }

    @Test func aSecondRunChangesNothingAndADryRunWritesNothing() throws {
        let old = try write("x.png")
        let dry = try run("--dry-run", "x.png")
        #expect(dry.output.contains("dry run"))
        #expect(try data("x.png") == old)
        #expect(try run("x.png").code == 0)
        #expect(try data("x.png").count < old.count)
        #expect(try run("--effort", "9", "x.png").code == 0)
        let (new, inode) = (try data("x.png"), status("x.png").st_ino)
        for arguments in [["x.png"], ["--again", "x.png"], ["--effort", "9", "x.png"]] {
            #expect(try Tool.run(["optimize"] + arguments, in: scratch.url.path).code == 0)
            #expect(try data("x.png") == new)
            #expect(status("x.png").st_ino == inode, "\(arguments)")
        }
        // On a file system with extended attributes, the file is only read.
        if try run("--effort", "9", "x.png").output.contains("was optimised before") {
            #expect(try run("--effort", "9", "--metadata", "drop", "x.png").output.contains("kept"))
            try write("x.png", side: 90)
            #expect(try run("x.png", "--json").objects().first?["state"] as? String == "optimized")
        }
    }

    @Test func linksAndFilesThatCannotBeReplacedStay() throws {
        let old = try write("real.png")
        try FileManager.default.createSymbolicLink(atPath: path("link.png"), withDestinationPath: "real.png")
        #expect(try run("link.png").code == 0)
        #expect(status("link.png").st_mode & S_IFMT == S_IFLNK)
        #expect(try data("real.png").count < old.count)

        let twice = try write("one.png")
        link(path("one.png"), path("two.png"))
        let outcome = try run("two.png")
        #expect(outcome.output.contains("2 hard links"))
        #expect(try data("one.png") == twice)

        let cut = try write("cut.png").dropLast(30)
        try Data(cut).write(to: scratch.url.appendingPathComponent("cut.png"))
        let failed = try run("cut.png", "missing.png", "one.png")
        #expect(failed.code == 2)
        #expect(try data("cut.png") == Data(cut))
        #expect(
            failed.errors.contains("cut.png: The file is damaged") && failed.errors.contains("missing.png: No such"))
        #expect(try run("-", "http://127.0.0.1/a.png").code == 1)
        #expect(parts.isEmpty)
    }

    @Test func anInterruptLeavesEveryFileWhole() throws {
        var names: [String] = []
        for index in 0..<12 {
            names.append("p\(index).png")
            try write(names[index], side: 700)
        }
        let before = try names.map { try pixels(try data($0)) }
        let (process, output, _) = try Tool.start(
            ["optimize", "--effort", "9", "--again"] + names, in: scratch.url.path)
        // The first report shows that some files are done and others are under way.
        _ = output.fileHandleForReading.availableData
        process.interrupt()
        _ = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(try names.map { try pixels(try data($0)) } == before)
        #expect(parts.isEmpty)
    }
}
