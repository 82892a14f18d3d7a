import CWebImageSandbox
import Foundation
import WebImageCore

/// A process that has loaded the libraries of a profile, reads no file, and makes workers by fork(2). Such a worker is
/// ready without loading the libraries again, and shares their memory.
final class SandboxTemplate: @unchecked Sendable {
    // Unchecked is correct because after its start the process is used only under the lock of `state`, except for `child`,
    // which threads may share.

    private struct State {
        /// The first worker tries the libraries after it was locked; the others have the same memory.
        var isTested = false
        var hasFailed = false
    }

    private let process: SandboxProcess
    private let state = Locked(State())

    init(_ profile: SandboxProfile, _ configuration: SandboxWorker.Configuration) throws(WebImageError) {
        process = try SandboxProcess(profile, configuration, as: .template)
    }

    /// The process identifier, for tests.
    var processIdentifier: Int32 { process.identifier }

    /// Whether further workers can be made.
    var isUsable: Bool {
        process.child.isOfThisProcess && !process.child.hasEnded && !state.withLock { $0.hasFailed }
    }

    /// Makes a worker with a window. Returns nil if it cannot.
    func fork(window: Int32) -> webimage_sandbox_child? {
        // One at a time: the answers have no number.
        state.withLock { state in
            guard !state.hasFailed else { return nil }
            var worker = webimage_sandbox_child()
            let isForked = withUnsafePointer(to: process.child.child) {
                webimage_sandbox_fork($0, window, !state.isTested, &worker) == 0
            }
            state.isTested = isForked
            state.hasFailed = !isForked
            return isForked ? worker : nil
        }
    }
}

/// The templates of a pool.
final class SandboxTemplates: Sendable {
    private let templates = Locked<[SandboxProfile: SandboxTemplate]>([:])

    /// Returns a template, which it starts if there is none. Nil if workers of the profile cannot be forked, and if the
    /// template does not start: the start of a worker reports why.
    func template(_ profile: SandboxProfile, _ configuration: SandboxWorker.Configuration) -> SandboxTemplate? {
        // The libraries of the other profiles keep threads, which a fork does not have.
        guard [.basic, .further].contains(profile) else { return nil }
        // Callers that need the template wait for its start as they would for a worker.
        return templates.withLock { templates in
            if let known = templates[profile], known.isUsable { return known }
            templates[profile] = try? SandboxTemplate(profile, configuration)
            return templates[profile]
        }
    }

    func end() {
        let ended = templates.withLock { templates in
            defer { templates = [:] }
            return templates
        }
        withExtendedLifetime(ended) {}
    }
}
