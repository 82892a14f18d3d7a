import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// `webimage` with decoder processes, also in the places in which programs run.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxCommandTests {
    private let folder = URL(fileURLWithPath: "/tmp/webimage-sandbox-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        for format in [ImageFormat.jpeg, .gif] {
            let image = try Image.generated(width: 200, height: 100) { x, y in
                (UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y), 7, 255)
            }
            let data = try ImageCodersManager.shared.encode(image, format: format, options: EncodingOptions())
            try data.write(to: folder.appendingPathComponent("in.\(format == .jpeg ? "jpg" : "gif")"))
        }
        let text = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'><rect width='9' height='9'/></svg>"
        try Data(text.utf8).write(to: folder.appendingPathComponent("in.svg"))
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    @Test func commandsGiveTheSameResultsInDecoderProcesses() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["in.jpg", "in.gif", "in.svg"] {
            let plain = try Tool.run("convert", path(name), path("plain-\(name).png"))
            let isolated = try Tool.run("convert", "--sandbox", path(name), path("isolated-\(name).png"))
            #expect(plain.code == 0 && isolated.code == 0, "\(name): \(isolated.errors)")
            let files = ["plain", "isolated"].map {
                try? Data(contentsOf: folder.appendingPathComponent("\($0)-\(name).png"))
            }
            #expect(files[0] != nil && files[0] == files[1], "\(name)")
            #expect(try Tool.run("info", "--sandbox", path(name)).output == Tool.run("info", path(name)).output)
        }
        #expect(try Tool.run("frames", "--sandbox", path("in.gif"), path("frames")).code == 0)
        #expect(try Tool.run("thumbnail", "--sandbox", "--out", path("thumbs"), path("in.jpg")).code == 0)
        #expect(try Tool.run("load", "--sandbox", "--cache", "none", path("in.jpg")).code == 0)
    }

    @Test func formatsShowsTheRestrictionsOfEveryFormat() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let found = try Tool.run("formats", "--sandbox", "--json")
        #expect(found.code == 0, "\(found.errors)")
        let rows = try found.objects()
        #expect(rows.count >= 8 && rows.allSatisfy { $0["systemCallFilter"] as? Bool == true })
        #expect(rows.contains { $0["format"] as? String == "jpeg" && $0["profile"] as? String == "basic" })
        // The text names what the values say.
        let text = try Tool.run("formats", "--sandbox").output
        let landlock = rows.compactMap { $0["landlock"] as? Int }.first ?? 0
        let files = landlock > 0 ? "no files (Landlock \(landlock))" : "no files (no Landlock)"
        #expect(text.contains("listed system calls only, \(files)"), "\(text)")
        let drawing = rows.first { $0["format"] as? String == "svg" }
        #expect(drawing == nil || text.contains("files of fonts only") == (drawing?["readsFonts"] as? Bool), "\(text)")
    }

    @Test func sandboxThatTheEnvironmentSwitchesOffIsReported() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let off = ["WEBIMAGE_SANDBOX_MODE": "off"]
        let formats = try Tool.run(["formats", "--sandbox"], environment: off)
        #expect(formats.code != 0 && formats.output.isEmpty && formats.errors.contains("WEBIMAGE_SANDBOX_MODE"))
        let info = try Tool.run(["info", "--sandbox", path("in.jpg")], environment: off)
        #expect(info.code == 0 && info.errors.contains("WEBIMAGE_SANDBOX_MODE is off"), "\(info.errors)")
    }

    @Test(arguments: 0..<Int(webimage_place_count))
    func commandWorksInThePlacesInWhichProgramsRun(place: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try Tool.run("convert", path("in.jpg"), path("plain.png"))
        _ = try Tool.run("convert", path("in.svg"), path("plain.svg.png"))
        for (input, output, expected) in [
            ("in.jpg", "there.png", "plain.png"), ("in.svg", "there.svg.png", "plain.svg.png"),
        ] {
            let code = run(place, ["convert", "--sandbox", path(input), path(output)])
            let text = (try? String(contentsOfFile: path("output"), encoding: .utf8)) ?? ""
            #expect(code == 0, "place \(place): \(text)")
            let files = [output, expected].map { try? Data(contentsOf: folder.appendingPathComponent($0)) }
            #expect(files[0] != nil && files[0] == files[1], "place \(place), \(input)")
        }
    }

    private func run(_ place: Int, _ arguments: [String]) -> Int32 {
        var words: [UnsafeMutablePointer<CChar>?] = (["webimage"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        return words.withUnsafeMutableBufferPointer {
            webimage_run_in_place(Int32(place), Tool.path, $0.baseAddress, path("output"))
        }
    }

    @Test(.enabled(if: getuid() == 0)) func commandWorksWithAReadOnlyRoot() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let mounts = "mount --rbind / /mnt && mount -o remount,bind,ro /mnt && exec chroot /mnt \"$0\" \"$@\""
        let outcome = try Tool.run(
            ["info", "--sandbox", path("in.jpg")], through: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", mounts])
        // A container may refuse the mounts.
        guard !outcome.errors.contains("mount:"), !outcome.errors.contains("unshare:") else { return }
        #expect(try outcome.code == 0 && outcome.output == Tool.run("info", path("in.jpg")).output, "\(outcome.errors)")
    }
}
