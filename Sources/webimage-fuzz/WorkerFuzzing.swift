import Foundation
import WebImage
import WebImageSandbox

/// Fuzzing through decoder processes: with `WEBIMAGE_FUZZ_WORKER` in the environment, the target's coder and the reader of
/// pages run in a worker, behind the filter of system calls.
enum WorkerFuzzing {
    /// Whether workers decode. The first use enables them.
    static let isEnabled: Bool = {
        guard ProcessInfo.processInfo.environment["WEBIMAGE_FUZZ_WORKER"] != nil else { return false }
        do throws(WebImageError) {
            try WebImageSandbox.enable()
        } catch {
            fatalError("\(error)")
        }
        return true
    }()

    /// Returns the coder that decodes in a worker, or the coder itself without workers.
    static func coder(for coder: any ImageCoder) -> any ImageCoder {
        guard isEnabled else { return coder }
        guard let isolated = WebImageSandbox.isolated([coder]).first,
            "\(type(of: isolated))" != "\(type(of: coder))"
        else { fatalError("no worker decodes the formats of \(type(of: coder))") }
        return isolated
    }

    /// Ends the process if the worker has ended: libFuzzer then stores the input as a finding.
    static func check(_ error: WebImageError) {
        guard error.code == .decoderFailed || error.code == .sandboxUnavailable else { return }
        fatalError("the worker ended: \(error)")
    }
}
