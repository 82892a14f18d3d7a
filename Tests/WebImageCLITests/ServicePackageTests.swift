import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

/// The scripts of the package `webimage-server` follow Debian's habits. They run here in a folder as the root, and the
/// commands that would change this machine are replaced by scripts that record their arguments.
@Suite(.timeLimit(minutes: 1))
struct ServicePackageTests {
    private let root: ScratchFolder

    init() throws {
        root = try ScratchFolder()
        for folder in ["bin", "etc", "run/systemd/system"] {
            try FileManager.default.createDirectory(
                at: root.url.appendingPathComponent(folder), withIntermediateDirectories: true)
        }
        for name in ["getent", "useradd", "chgrp", "systemctl", "deb-systemd-helper", "deb-systemd-invoke"] {
            try command(name, "exit 0")
        }
    }

    private var calls: [String] {
        (try? String(contentsOf: root.url.appendingPathComponent("calls"), encoding: .utf8))?
            .split(separator: "\n").map(String.init) ?? []
    }

    private func command(_ name: String, _ body: String) throws {
        let path = root.url.appendingPathComponent("bin/\(name)").path
        let text = "#!/bin/sh\necho \"\(name) $*\" >> \"\(root.url.path)/calls\"\n\(body)\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o755)
    }

    private func run(_ script: String, _ arguments: String...) throws {
        try? FileManager.default.removeItem(at: root.url.appendingPathComponent("calls"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            [
                URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appendingPathComponent("../../Packaging/service/\(script)").path
            ] + arguments
        process.environment = ["PATH": root.url.path + "/bin:/usr/bin:/bin", "DPKG_ROOT": root.url.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(root.url.path + path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func firstInstallationEnablesTheUnitsAndMakesTheSecrets() throws {
        try command("systemctl", "case \"$*\" in *is-active*) exit 3;; esac")
        try run("postinst", "configure", "")
        #expect(calls.contains("deb-systemd-helper enable webimage.socket"))
        #expect(calls.contains("deb-systemd-helper enable webimage.service"))
        // The socket is open before the service starts.
        #expect(calls.last == "deb-systemd-invoke start webimage.socket webimage.service")
        #expect(getuid() != 0 || mode("/etc/webimage/secrets.env") == 0o640)
        #expect(getuid() != 0 || calls.contains { $0.hasPrefix("chgrp webimage ") })
    }

    @Test func unitThatTheAdministratorDisabledStaysDisabled() throws {
        try command("deb-systemd-helper", "case \"$*\" in *was-enabled*) exit 1;; esac")
        try run("postinst", "configure", "1.0")
        #expect(!calls.contains { $0.hasPrefix("deb-systemd-helper enable") })
        #expect(calls.contains("deb-systemd-helper update-state webimage.service"))
        // systemctl itself would start a disabled unit; deb-systemd-invoke does not.
        #expect(!calls.contains { $0.hasPrefix("systemctl") && ($0.contains("start") || $0.contains("enable")) })
    }

    @Test func upgradeRestartsOnlyTheServiceIfTheSocketIsOpen() throws {
        try run("postinst", "configure", "1.0")
        #expect(calls.last == "deb-systemd-invoke restart webimage.service")
        #expect(!calls.contains { $0.hasPrefix("deb-systemd-invoke") && $0.contains("webimage.socket") })
    }

    @Test func upgradeFromAServiceWithItsOwnAddressFreesTheAddressFirst() throws {
        try command("systemctl", "case \"$*\" in *is-active*) exit 3;; esac")
        try run("postinst", "configure", "1.0")
        #expect(
            calls.suffix(2) == [
                "deb-systemd-invoke stop webimage.service",
                "deb-systemd-invoke start webimage.socket webimage.service",
            ])
    }

    @Test func secretsOfTheAdministratorKeepTheirContentAndTheirMode() throws {
        let path = root.url.path + "/etc/webimage/secrets.env"
        try FileManager.default.createDirectory(
            atPath: root.url.path + "/etc/webimage", withIntermediateDirectories: true)
        try "WEBIMAGE_KEY=00\n".write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o400)
        try run("postinst", "configure", "1.0")
        #expect(mode("/etc/webimage/secrets.env") == 0o400)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "WEBIMAGE_KEY=00\n")
        try run("postrm", "remove")
        #expect(access(path, F_OK) == 0)
        try run("postrm", "purge")
        #expect(access(path, F_OK) != 0)
        #expect(calls.contains("deb-systemd-helper purge webimage.socket webimage.service"))
    }

    @Test func removalStopsTheSocketBeforeTheService() throws {
        try run("prerm", "upgrade", "2.0")
        #expect(calls.isEmpty)
        try run("prerm", "remove")
        #expect(calls == ["deb-systemd-invoke stop webimage.socket webimage.service"])
    }
}
