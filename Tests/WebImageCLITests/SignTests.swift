import Foundation
import Testing

/// `webimage sign` signs only targets that the service accepts.
@Suite struct SignTests {
    private static let keys = [
        "WEBIMAGE_KEY": "736563726574", "WEBIMAGE_SALT": "68656C6C6F", "WEBIMAGE_THUMBOR_KEY": "secret",
        "WEBIMAGE_THUMBOR": "/t",
    ]
    private static let source = "https://pictures.example/a.jpg"

    @Test(arguments: [
        (["--options", "rs:fit:abc"], "'rs'"), (["--options", "w:20/nosuch:1"], "'nosuch'"),
        (["--options", "f:bmpx"], "'f'"), (["--thumbor", "--options", "filters:nosuch(1)"], "'nosuch'"),
    ]) func targetsThatTheServiceRefusesAreNotSigned(words: [String], named: String) throws {
        let outcome = try Tool.run(["sign"] + words + [Self.source], environment: Self.keys)
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("the service would refuse this target"), "\(outcome.errors)")
        #expect(outcome.errors.contains(named), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["--options", "rs:fit:300:200/q:80"], ["--options", "preset:thumb"],
        ["--thumbor", "--options", "300x200/smart"],
    ]) func targetsThatItMayAcceptAreSigned(words: [String]) throws {
        let outcome = try Tool.run(["sign"] + words + [Self.source], environment: Self.keys)
        #expect(outcome.code == 0 && outcome.output.contains(words.last ?? "-"), "\(outcome.errors)")
    }

    /// With the service's own settings, its presets and rules are known.
    @Test func settingsOfTheServiceAreJudged() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sign-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "webimage.conf")
        try Data("key = 736563726574\nsalt = 68656C6C6F\npreset = thumb=w:96\nallowed-options = preset\n".utf8)
            .write(to: file)
        func sign(_ options: String) throws -> Tool.Outcome {
            try Tool.run(["sign", "--config", file.path, "--options", options, Self.source])
        }
        #expect(try sign("preset:thumb").code == 0)
        #expect(try sign("preset:thumbs").errors.contains("no preset has the name 'thumbs'"))
        #expect(try sign("w:20").errors.contains("not allowed by the configuration"))
    }
}
