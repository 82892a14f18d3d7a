import Foundation
import WebImageCommandLine
import WebImageService

/// `webimage sign`: makes and checks signed targets.
enum SignCommand {
    static let text = CommandText(
        name: "sign", head: "sign PATH|URL...",
        summary: "make and check signed targets for 'serve'",
        usage: ["webimage sign [OPTIONS] PATH|URL..."],
        parts: [
            .text(
                """
                Prints the signed target of each path (/w:300/plain/https://example.com/a.jpg), or of a source's URL with
                --options. The key and the salt are those of WEBIMAGE_KEY and WEBIMAGE_SALT, or of the configuration.
                """),
            .options([
                .value("options", "TEXT", "options before a source: w:300/h:200"),
                .value("expires", "SECONDS", "the target expires after this time"),
                .value("base", "URL", "print complete URLs with this prefix"),
                .flag("thumbor", "thumbor's grammar and its key (WEBIMAGE_THUMBOR_KEY)"),
                .flag("verify", "the operands are targets: check their signatures; exit code 2 if one is wrong"),
                .value("config", "FILE", "the configuration of the service"),
            ]),
            .examples([
                "webimage sign /rs:fit:320:320/plain/local:///photo.jpg",
                "webimage sign --options w:300/h:200 --base https://images.example.org https://example.org/a.jpg",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        guard !arguments.operands.isEmpty else { throw UsageError("sign requires at least one path or URL") }
        let isThumbor = arguments.has("thumbor"), verifies = arguments.has("verify")
        let expires = try arguments.integer("expires", atLeast: 1)
        if verifies, expires != nil || arguments.has("options") || arguments.has("base") {
            throw UsageError("--verify takes whole targets and no --options, --expires or --base")
        }
        if isThumbor, expires != nil { throw UsageError("thumbor's grammar has no --expires") }
        let configuration = try ServiceArguments(file: arguments.string("config")).configuration()
        let signer: TargetSigner
        do throws(ConfigurationError) {
            signer = try TargetSigner(configuration)
        } catch {
            throw UsageError("\(error)")
        }
        guard isThumbor ? signer.hasThumborKeys : signer.hasKeys else {
            throw UsageError(
                isThumbor
                    ? "there is no key; set WEBIMAGE_THUMBOR_KEY or name a file with thumbor-key by --config"
                    : "there is no key; set WEBIMAGE_KEY and WEBIMAGE_SALT or name a file with key and salt by --config"
            )
        }
        let operands = arguments.operands
        if verifies { return { verify(operands, signer, isThumbor: isThumbor) } }
        let isComplete = arguments.has("config")
        let targets = try operands.map { operand throws(UsageError) in
            let path = try path(
                of: operand, options: try options(arguments, configuration, isThumbor: isThumbor), expires: expires,
                isThumbor: isThumbor)
            let target = (isThumbor ? signer.thumborTarget(for: path) : signer.target(for: path)) ?? ""
            if let problem = signer.problem(of: target, isThumbor: isThumbor, isComplete: isComplete) {
                throw UsageError("the service would refuse this target: \(problem)")
            }
            return target
        }
        let base = arguments.string("base").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        return {
            for target in targets { Console.line(base + target) }
            return .ok
        }
    }

    /// The options of a source. The name of a preset alone would be signed, and the service would refuse the target.
    private static func options(
        _ arguments: Arguments, _ configuration: ServiceConfiguration, isThumbor: Bool
    ) throws(UsageError) -> String? {
        guard let options = arguments.string("options") else { return nil }
        guard !isThumbor, !configuration.onlyPresets else { return options }
        for part in options.split(separator: "/") where !part.contains(":") {
            throw UsageError("--options: '\(part)' has no value; write a preset as preset:\(part)")
        }
        return options
    }

    /// Returns the path to sign. If the operand is a path, returns the operand. If the operand is the URL of a source,
    /// creates a path from the options and the URL.
    private static func path(
        of operand: String, options: String?, expires: Int?, isThumbor: Bool
    ) throws(UsageError) -> String {
        let isSource = operand.contains("://") && !operand.hasPrefix("/")
        guard isSource else {
            guard options == nil, expires == nil else {
                throw UsageError("--options and --expires are for the URL of a source, and '\(operand)' is a path")
            }
            return operand
        }
        var parts = options.map { [$0] } ?? []
        if isThumbor {
            // Escape `?`, `%`, `#` and the characters that a path cannot contain. The service decodes percent escapes
            // exactly once.
            var allowed = CharacterSet.urlPathAllowed
            allowed.remove(charactersIn: "?%#")
            parts.append(operand.addingPercentEncoding(withAllowedCharacters: allowed) ?? operand)
            return parts.joined(separator: "/")
        }
        if let expires { parts.append("exp:\(Int(Date().timeIntervalSince1970) + expires)") }
        var allowed = CharacterSet.urlPathAllowed
        allowed.remove(charactersIn: "@?%#")
        parts += ["plain", operand.addingPercentEncoding(withAllowedCharacters: allowed) ?? operand]
        return "/" + parts.joined(separator: "/")
    }

    private static func verify(_ targets: [String], _ signer: TargetSigner, isThumbor: Bool) -> ExitCode {
        var code = ExitCode.ok
        for target in targets {
            let path = Self.path(ofURL: target)
            let isValid = isThumbor ? signer.isValidThumbor(path) : signer.isValid(path)
            Console.line("\(isValid ? "valid" : "not valid"): \(target)")
            if !isValid { code = .failed }
        }
        return code
    }

    /// If `text` is a complete URL, returns the path of the URL, which is the target. Otherwise returns `text`.
    private static func path(ofURL text: String) -> String {
        guard !text.hasPrefix("/"), let mark = text.range(of: "://") else { return text }
        let rest = text[mark.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? text
    }
}
