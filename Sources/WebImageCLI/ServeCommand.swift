import Dispatch
import Foundation
import WebImage
import WebImageCommandLine
import WebImageServer
import WebImageService

/// `webimage serve`: runs the image service over HTTP until SIGTERM.
enum ServeCommand {
    static let text = CommandText(
        name: "serve", head: "serve", summary: "serve pictures over HTTP: http://127.0.0.1:8080/",
        usage: ["webimage serve [OPTIONS]"],
        parts: [
            .text(
                """
                Serves pictures by URL, in the requested size and a format that the client accepts. Without options: on
                http://127.0.0.1:8080/ for this machine only, with a page to try it out, cached in the user's cache folder.
                Settings are read from a file, from variables (WEBIMAGE_QUALITY for --quality) and from options; later ones win.
                Secrets are read only from files and from variables. SIGHUP reads the files again; --print-config marks the
                settings that need a restart. SIGTERM answers accepted requests and stops. Sockets from systemd replace listen
                addresses; the one named admin is for --admin. BYTES may end in K, M or G (powers of 1024).
                """),
            .options([
                .value("config", "FILE", "a file of lines NAME = VALUE, as --print-config shows"),
                .flag("print-config", "print the settings and exit"),
                .flag(
                    "check-config", "report the first error of the settings and exit; exit code 1 if there is one"),
            ]),
            .options(ServiceArguments.options.filter { !ServiceConfiguration.isSecret($0.name) }),
            .text("Secrets, only in the file (for example 'key') or in a variable:"),
            .words(
                ServiceConfiguration.settings.filter { ServiceConfiguration.isSecret($0.name) }.map {
                    ("\($0.variable)=\($0.value)", $0.help)
                }),
            .examples([
                "webimage serve", "webimage serve --root /srv/pictures --listen 127.0.0.1:8090",
                "webimage serve --config /etc/webimage/serve.conf --print-config",
                "curl -o small.webp 'http://127.0.0.1:8080/_/rs:fit:320:320/plain/local:///photo.jpg@webp'",
            ]),
        ])

    /// Secrets are refused as options, with a message that names the variable.
    private static let secrets = ServiceArguments.options.filter { ServiceConfiguration.isSecret($0.name) }

    static let command = Command(text, hidden: secrets, isService: true) { arguments throws(UsageError) in
        guard arguments.operands.isEmpty else {
            throw UsageError("serve takes no operand; '\(arguments.operands[0])' is one")
        }
        let source = ServiceArguments(
            file: arguments.string("config"), flags: ServiceArguments.flags(arguments))
        let reading = try source.reading()
        let configuration = reading.configuration
        if arguments.has("print-config") {
            return {
                Console.out(configuration.printed)
                return .ok
            }
        }
        if arguments.has("check-config") {
            try ServiceProcess.check(reading)
            return { .ok }
        }
        // Before the first thread of the service starts.
        ProcessLimits.raiseDescriptors()
        try ProcessLimits.check(configuration)
        return { await serve(source, reading) }
    }

    private static func serve(_ source: ServiceArguments, _ reading: ServiceArguments.Reading) async -> ExitCode {
        returnLargeBlocks()
        let process: ServiceProcess
        do {
            let place = try reading.parsed().isolation
            if place == .none {
                DecoderIsolation.decide()
                Console.error("isolation = none: pictures of strangers are decoded in this process")
            } else {
                if DecoderProcesses.switchedOff == nil { try DecoderProcesses.check() }
                try DecoderProcesses.enable(place)
            }
            process = try ServiceProcess(reading, inherited: ListenAddress.inherited())
        } catch {
            Console.error(error.message)
            return .failed
        }
        signal(SIGHUP, SIG_IGN)
        // Use a separate queue, because reading the files of the configuration blocks.
        let hangUp = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "webimage.reload"))
        hangUp.setEventHandler { reload(process, source) }
        hangUp.resume()
        await process.connectTiers()
        process.announce()
        await untilCancelled()
        hangUp.cancel()
        await process.stop()
        return .ok
    }

    private static func reload(_ process: ServiceProcess, _ source: ServiceArguments) {
        SystemdNotifier.notify("RELOADING=1")
        var outcome = "the configuration was read again"
        do throws(UsageError) {
            try process.reload(try source.reading())
        } catch {
            outcome = "the configuration stays as it was: \(error.message)"
        }
        Console.error(outcome)
        SystemdNotifier.notify("READY=1\nSTATUS=\(outcome.prefix { $0 != "\n" })")
    }

    private static func untilCancelled() async {
        // Wait until the task is cancelled. The stream has no values. It ends when the task that reads it is cancelled.
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
    }

    /// Makes the allocator return blocks of 4 MiB and more to the system as soon as they are freed.
    ///
    /// By default, glibc raises this size to up to 32 MiB when such a block is freed, and then keeps the blocks in the
    /// arenas of the threads (mallopt(3), `M_MMAP_THRESHOLD`). Under constant load, requests for many large sizes of a
    /// photo of 6 megapixels then left the process at 680 MB; with this limit, at 190 MB. Smaller blocks, which most
    /// thumbnails need, are still used again.
    private static func returnLargeBlocks() {
        guard getenv("MALLOC_MMAP_THRESHOLD_") == nil else { return }
        // Look `mallopt` up by name: the Glibc module does not declare it, and other C libraries do not have it.
        typealias Option = @convention(c) (_ parameter: Int32, _ value: Int32) -> Int32
        let mmapThreshold: Int32 = -3
        if let option = dlsym(nil, "mallopt") { _ = unsafeBitCast(option, to: Option.self)(mmapThreshold, 4 << 20) }
    }
}
