import CWebImageSandbox
import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageSandbox

/// What is in force in a locked worker, as the kernel reports it.
@Suite(.serialized, .timeLimit(minutes: 2))
struct SandboxRestrictionTests {
    /// The values of a file of `/proc`, by the name at the start of the line.
    private func table(_ worker: SandboxWorker, _ file: String) throws -> [String: String] {
        let text = try String(contentsOfFile: "/proc/\(worker.processIdentifier)/\(file)", encoding: .utf8)
        let rows = text.split(separator: "\n").compactMap { line -> (String, String)? in
            // `limits` has columns of fixed width, `status` has a colon.
            let end = file == "limits" ? line.index(line.startIndex, offsetBy: 26, limitedBy: line.endIndex) : nil
            guard let end = end ?? line.firstIndex(of: ":") else { return nil }
            let value = line[end...].drop { $0 == ":" }.trimmingCharacters(in: .whitespaces)
            return (line[..<end].trimmingCharacters(in: .whitespaces), value)
        }
        return Dictionary(rows) { first, _ in first }
    }

    private func words(_ value: String?) -> [String] {
        (value ?? "").split { $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// How a worker is made.
    enum Origin: CaseIterable {
        case program, template

        func worker(_ profile: SandboxProfile) throws -> SandboxWorker {
            let configuration = SandboxWorker.Configuration()
            let template = self == .template ? try SandboxTemplate(profile, configuration) : nil
            return try SandboxWorker(profile, configuration: configuration, from: template)
        }
    }

    private static let kinds: [(Origin, SandboxProfile)] =
        SandboxProfile.allCases.map { (.program, $0) } + [(.template, .basic), (.template, .further)]

    @Test(.needsRealDecoderProcesses, arguments: kinds)
    func kernelReportsEveryRestriction(origin: Origin, profile: SandboxProfile) throws {
        let worker = try origin.worker(profile)
        let status = try table(worker, "status")
        #expect(status["NoNewPrivs"] == "1" && status["Seccomp"] == "2" && status["PPid"] == "\(getpid())")
        for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            // Without the right to change the set, the bounding set stays; it gives nothing without privileges.
            if name == "CapBnd", getuid() != 0, !worker.protections.hasNamespaces { continue }
            #expect(status[name] == "0000000000000000", "\(name): \(status[name] ?? "none")")
        }
        let limits = try table(worker, "limits")
        func limit(_ name: String) -> [String] { Array(words(limits[name]).prefix(2)) }
        #expect(limit("Max core file size") == ["0", "0"])
        // A report of the address sanitizer may go to a file.
        if Sanitizer.running != .address { #expect(limit("Max file size") == ["0", "0"]) }
        #expect(limit("Max open files") == (profile == .svg ? ["64", "64"] : ["16", "16"]))
        if [.basic, .further].contains(profile) { #expect(limit("Max processes") == ["0", "0"]) }
        if ProcessMemory.isMeasurable { #expect(Int(limit("Max address space").first ?? "") != nil) }
        let priority = try String(contentsOfFile: "/proc/\(worker.processIdentifier)/oom_score_adj", encoding: .utf8)
        #expect(priority == "800\n")
    }

    @Test(.enabled(if: getuid() == 0, "only root reads these files of another process"), arguments: Origin.allCases)
    func workerHasItsDescriptorsAndItsEnvironmentOnly(origin: Origin) throws {
        // A descriptor of the host that is inherited by programs.
        let open = open("/etc/passwd", O_RDONLY)
        defer { close(open) }
        setenv("WEBIMAGE_SECRET", "x", 1)
        defer { unsetenv("WEBIMAGE_SECRET") }
        let worker = try origin.worker(.basic)
        let folder = "/proc/\(worker.processIdentifier)"
        let numbers = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").compactMap { Int($0) }
        // One more takes the reports of the address sanitizer to the host.
        #expect(numbers.sorted() == Array(0...(Sanitizer.running == .address ? 6 : 5)))
        let targets = try numbers.sorted().map {
            try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)")
        }
        #expect(targets[..<3].allSatisfy { $0 == "/dev/null" })
        #expect(targets[3].hasPrefix("socket:") && targets[4].hasPrefix("/memfd:") && targets[5].hasPrefix("pipe:"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/environ"))
        let environment = String(decoding: bytes, as: UTF8.self)
        #expect(environment.contains("WEBIMAGE_SANDBOX_WORKER=basic") && !environment.contains("WEBIMAGE_SECRET"))
    }

    /// A worker that truncated the window would end the host by SIGBUS.
    @Test func windowCanNeitherShrinkNorGrow() throws {
        let window = webimage_sandbox_make_window(1 << 20)
        defer { close(window) }
        #expect(ftruncate(window, 0) == -1 && errno == EPERM)
        #expect(ftruncate(window, 2 << 20) == -1 && errno == EPERM)
        var byte: UInt8 = 7
        #expect(pwrite(window, &byte, 1, 0) == 1)
        let sealed = webimage_sandbox_make_sealed("abc", 3)
        defer { close(sealed) }
        #expect(pwrite(sealed, &byte, 1, 0) == -1 && errno == EPERM && ftruncate(sealed, 0) == -1)
    }

    /// Attempts that the profiles with threads or fonts allow, because their libraries need the calls.
    private static let allowed: [SandboxProfile: Set<String>] = [
        // Landlock limits the contents of files and folders, not their description.
        .svg: ["describe a file"]
    ]

    /// Those that the profiles treat differently, and some that end the worker.
    private static let tried = [
        "read a file", "write a file", "list a folder", "open the host's memory", "describe a file",
        "make an internet socket", "make a Unix socket", "make a process", "make a process with clone3",
        "map executable memory", "make memory executable", "execute a program", "trace the host",
    ]

    @Test(.needsRealDecoderProcesses, arguments: kinds)
    func attemptsAreRefusedInEveryProfile(origin: Origin, profile: SandboxProfile) throws {
        var worker = try origin.worker(profile)
        for number in 0..<Attempts.count where Self.tried.contains(Attempts.name(number)) {
            let name = Attempts.name(number)
            switch worker.attempt(number) {
            case .worked: #expect(Self.allowed[profile]?.contains(name) == true, "\(name) worked")
            case .refused(let errno):
                #expect([EPERM, EACCES, ENOSYS, ENOTTY, EBADF].contains(Int32(errno)), "\(name): \(errno)")
            case .ended: worker = try origin.worker(profile)
            }
        }
    }
}
