import Dispatch
import Foundation
import WebImage
import WebImageServer
import WebImageService

/// `webimage serve`: runs the image service over HTTP until SIGTERM.
enum ServeCommand {
    static let command = Command(
        options: [.value("config"), .flag("print-config"), .flag("check-config")] + ServiceArguments.options,
        isService: true
    ) { arguments throws(UsageError) in
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
            let isolation = reading.configuration.isolation
            if isolation == "none" {
                DecoderIsolation.decide()
                Console.error("isolation = none: pictures of strangers are decoded in this process")
            } else {
                if DecoderProcesses.switchedOff == nil { try DecoderProcesses.check() }
                try DecoderProcesses.enable(isolation: isolation)
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
