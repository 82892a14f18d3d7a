import Foundation
import WebImage

// The line and the exit code with which the command reports an error.
extension WebImageError {
    var exitCode: ExitCode { code == .limitExceeded ? .limited : isCancellation ? .interrupted : .failed }

    /// Returns the file or URL that failed. This is the output file if writing failed, otherwise the operand.
    func subject(of operand: String) -> String {
        guard stage == .store, let url, url.isFileURL else { return operand }
        return url.relativePath
    }

    /// Returns the message without the URL, because the printed line already begins with the operand. An error of the
    /// file system has the system's message and a hint. An exceeded limit has the option that raises it. An error about
    /// the content of a local file has no code and no stage, because only the file can be its cause.
    func message(of operand: String) -> String {
        let isLocal = operand == InputSource.standardInput || InputSource.localPath(operand) != nil
        switch (code, underlying) {
        case (.fileSystem, .posix(let number, let words)?):
            let folder = "Name a file; load, info, thumbnail and optimize take folders with --recursive."
            if [ENOENT, ENOTDIR].contains(number), stage == .download, let url = InputSource.intendedURL(operand) {
                return "\(words). Did you mean \(url)?"
            }
            return "\(words). \(number == EISDIR && stage == .download ? folder : hint ?? "")"
        case (.limitExceeded, .limit(let limit, let actual, let allowed)?):
            return limit.message(actual: actual, allowed: allowed)
        case (.badImageData, _) where isLocal && stage == .download:
            return operand == InputSource.standardInput
                ? "Standard input is empty. Pipe a picture in." : "The file is empty."
        case (.badImageData, .codec(let library, let words)?) where isLocal && library == "sniffer":
            return "This is not a picture of a known format: \(words). 'webimage formats' lists the formats."
        case (.badImageData, .codec(let library, let words)?) where isLocal && stage == .decode && library != "convert":
            return "The file is damaged: \(words) (\(library))."
        default:
            var copy = self
            copy.url = nil
            return copy.description
        }
    }

    /// Returns the failed file or URL and the message, as they are printed for a person.
    func line(of operand: String) -> String { "\(RawText.shown(subject(of: operand))): \(message(of: operand))" }

    /// Returns the name of the step that failed, for the report. Reading a file is `read`, and writing a file is
    /// `write`. Other steps have the name of the stage.
    func step(of operand: String) -> String {
        switch stage {
        case .download where operand == InputSource.standardInput || InputSource.localPath(operand) != nil: "read"
        case .store: "write"
        default: stage.rawValue
        }
    }

    /// Returns the error as a JSON object on one line. The first member has the name `name` and contains the operand.
    func json(_ name: String, _ operand: String) -> String {
        var object = JSONLine()
        object.add(name, ofWord: operand)
        object.add("error", .integer(code.rawValue))
        object.add("stage", .string(step(of: operand)))
        object.add("message", .string(message(of: operand)))
        return object.text
    }
}

extension DecodingLimits.Limit {
    /// Returns what exceeded the limit, and the option that raises the limit.
    fileprivate func message(actual: Int, allowed: Int) -> String {
        let (unit, option): (String, String?) =
            switch self {
            case .encodedBytes, .bodyBytes: ("bytes", "--max-bytes")
            case .pixels: ("pixels", "--max-pixels")
            case .side: ("pixels on one side", nil)
            case .animationPixels: ("pixels in all frames together", "--max-pixels")
            case .frameCount: ("frames", nil)
            case .ancillaryChunkBytes: ("bytes in one profile or metadata block", nil)
            case .ancillaryBytes: ("bytes in profiles and metadata", nil)
            case .decodeBytes: ("bytes of memory to decode", nil)
            case .decodeTime: ("of the time to decode", nil)
            }
        let found =
            self == .decodeTime
            ? "It needs more than the limit \(unit)."
            : actual == .max
                ? "It has more than the limit of \(allowed) \(unit)."
                : "It has \(actual) \(unit); the limit is \(allowed)."
        let raise = option.map { "Raise it with \($0) N, or use" } ?? "For a file that you made yourself, use"
        return "\(found) \(raise) --no-limits" + (option == nil ? "." : " for a file that you made yourself.")
    }
}
