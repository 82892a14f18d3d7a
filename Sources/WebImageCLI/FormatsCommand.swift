import Foundation
import WebImage
import WebImageCommandLine
import WebImageSandbox

/// `webimage formats`: lists the capabilities of this build for each format.
enum FormatsCommand {
    static let text = CommandText(
        name: "formats", head: "formats",
        summary: "list the formats that this build reads, animates and writes",
        usage: ["webimage formats [OPTIONS]"],
        parts: [
            .text(
                """
                Prints a line for each format: whether this build reads, animates and writes it, and the library behind it with
                its version, or what to install.
                """
            ),
            .options([
                .flag(
                    "verbose",
                    """
                    also what is read and written, the product of the library, the package of Debian,
                    and in which process files are decoded
                    """),
                .flag("sandbox", "print instead how decoder processes of each format are restricted on this machine"),
                .json,
            ]),
            .examples([
                "webimage formats",
                "webimage formats --verbose",
                "webimage formats --sandbox",
                "webimage formats --json | jq 'select(.writes).format'",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
        guard arguments.operands.isEmpty else { throw UsageError("formats takes no operand") }
        let asJSON = arguments.has("json")
        let isVerbose = arguments.has("verbose")
        if arguments.has("sandbox") {
            guard !isVerbose else { throw UsageError("--verbose excludes --sandbox; give one of them") }
            return { printProtections(asJSON: asJSON) }
        }
        return {
            for row in rows {
                let details = isVerbose ? FormatDetails(of: row.format, writes: row.writes) : nil
                Console.line(asJSON ? row.json(details) : row.text + (details?.text ?? ""))
            }
            return .ok
        }
    }

    /// Starts a decoder process for each format that this build reads, and prints its restrictions.
    ///
    /// Each format has its own call, so that a format whose process does not start does not hide the others.
    /// - Returns: `.failed` if at least one process did not start, or if the environment switches the processes off.
    private static func printProtections(asJSON: Bool) -> ExitCode {
        if let reason = DecoderProcesses.switchedOff {
            Console.error(reason)
            return .failed
        }
        var exitCode = ExitCode.ok
        for row in rows where row.reads {
            do throws(WebImageError) {
                for protection in try WebImageSandbox.protections(of: [row.format]) {
                    Console.line(asJSON ? protection.json : protection.text)
                }
            } catch {
                Console.error("\(row.format.name ?? "?"): \(error)")
                exitCode = .failed
            }
        }
        return exitCode
    }

    /// The rows, ordered from the most common format to the rarest.
    private static let rows: [FormatRow] = [
        FormatRow(.jpeg, sample: [0xFF, 0xD8, 0xFF]),
        FormatRow(.png, sample: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        FormatRow(
            .apng,
            sample: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
                + [UInt8](repeating: 0, count: 17) + [0, 0, 0, 8] + Array("acTL".utf8), moves: true),
        FormatRow(.gif, sample: Array("GIF89a".utf8), moves: true),
        FormatRow(.webP, sample: Array("RIFF\0\0\0\0WEBP".utf8), moves: true),
        FormatRow(.avif, sample: Array("\0\0\0\u{18}ftypavif".utf8), moves: true),
        FormatRow(.heic, sample: Array("\0\0\0\u{18}ftypheic".utf8)),
        FormatRow(.jpegXL, sample: [0xFF, 0x0A], moves: true),
        FormatRow(.svg, sample: Array("<svg></svg>".utf8)),
        FormatRow(.tiff, sample: [0x49, 0x49, 0x2A, 0]),
        FormatRow(.lottie, sample: Array(#"{"v":"5","fr":1,"ip":0,"op":1,"w":1,"h":1}"#.utf8), moves: true),
        FormatRow(.jpeg2000, sample: [0xFF, 0x4F, 0xFF, 0x51]),
        FormatRow(.raw, sample: Array("FUJIFILMCCD-RAW ".utf8)),
        FormatRow(.bmp, sample: Array("BM".utf8)),
        FormatRow(.ico, sample: [0, 0, 1, 0, 1, 0]),
        FormatRow(.pdf, sample: Array("%PDF".utf8)),
        FormatRow(.video, sample: Array("\0\0\0\u{18}ftypmp42".utf8), moves: true),
    ]
}

/// One row of the table. Its values come from the registered coders.
private struct FormatRow: Sendable {
    let format: ImageFormat
    let reads: Bool
    let animates: Bool
    let writes: Bool
    let library: String?

    /// Creates the row of a format.
    ///
    /// - Parameters:
    ///   - sample: The start of a file, long enough for a coder to recognise the format.
    ///   - moves: Whether the format supports animations.
    init(_ format: ImageFormat, sample: [UInt8], moves: Bool = false) {
        self.format = format
        let coder = ImageCodersManager.shared.coders.last { $0.canDecode(from: Data(sample)) }
        let source = Source(of: format, coder: coder)
        reads = source.isUsable
        animates = moves && source.isUsable && coder?.animated != nil
        writes = source.isUsable && ImageCodersManager.shared.canEncode(to: format.container)
        library = source.words
    }

    /// The library that decodes a format, or the reason why the format is unavailable.
    private struct Source {
        var isUsable = false
        var words: String?

        init(of format: ImageFormat, coder: (any ImageCoder)?) {
            guard coder != nil else { return }
            do throws(WebImageError) {
                words = try OptionalCoders.library(of: format) ?? BuiltInLibraries.name(of: format)
                isUsable = true
            } catch {
                words = "missing: \(error.hint ?? error.description)"
            }
        }
    }

    var text: String {
        func cell(_ word: String, _ isTrue: Bool) -> String {
            (isTrue ? word : "-").padding(toLength: 9, withPad: " ", startingAt: 0)
        }
        let name = (format.name ?? "?").padding(toLength: 8, withPad: " ", startingAt: 0)
        return name + cell("reads", reads) + cell("animates", animates) + cell("writes", writes) + (library ?? "-")
    }

    func json(_ details: FormatDetails?) -> String {
        var object = JSONLine()
        object.add("format", .init(format.name))
        object.add("reads", .bool(reads))
        object.add("animates", .bool(animates))
        object.add("writes", .bool(writes))
        object.add("library", .init(library))
        if let details {
            object.add("product", .init(details.product))
            object.add("package", .init(details.package))
            object.add("isolated", .bool(details.isIsolated))
            object.add("readsWhat", .init(details.reads))
            object.add("writesWhat", .init(details.writes))
        }
        return object.text
    }
}

extension FormatDetails {
    /// Lines below the row of the format.
    fileprivate var text: String {
        let process = isIsolated ? "in a restricted process" : "in this process, with --sandbox in a restricted one"
        let lines = [
            ("reads", reads), ("writes", writes ?? "-"), ("product", product), ("package", package ?? "-"),
            ("decodes", process),
        ]
        return lines.map { name, words in
            "\n        " + name.padding(toLength: 9, withPad: " ", startingAt: 0) + words
        }.joined()
    }
}

extension WebImageSandbox.Protection {
    fileprivate var text: String {
        var words = ["listed system calls only"]
        let files = readsFonts ? "files of fonts only" : profile == "svg" ? "no files, so no text" : "no files"
        words.append(landlockVersion > 0 ? "\(files) (Landlock \(landlockVersion))" : "\(files) (no Landlock)")
        if hasNamespaces { words.append("own namespaces") }
        let name = (formats.first?.name ?? "?").padding(toLength: 8, withPad: " ", startingAt: 0)
        return name + profile.padding(toLength: 11, withPad: " ", startingAt: 0) + words.joined(separator: ", ")
    }

    fileprivate var json: String {
        var object = JSONLine()
        object.add("format", .init(formats.first?.name))
        object.add("profile", .init(profile))
        object.add("systemCallFilter", .bool(allowsOnlyListedSystemCalls))
        object.add("landlock", .integer(landlockVersion))
        object.add("namespaces", .bool(hasNamespaces))
        object.add("readsFonts", .bool(readsFonts))
        return object.text
    }
}
