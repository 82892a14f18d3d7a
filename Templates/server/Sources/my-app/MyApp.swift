import Foundation
import WebImageServer
import WebImageService
import MyAppKit

/// Serves small pictures: my-app [ADDRESS:PORT]
@main
struct MyApp {
    static func main() async {
        do {
            let address = try ListenAddress(CommandLine.arguments.dropFirst().first ?? "127.0.0.1:8080")
            let configuration = try Settings.configuration(
                ProcessInfo.processInfo.environment, isOpen: !address.isLoopback)
            let service = try ImageService(configuration: configuration)
            let server = try HTTPServer(listening: [address]) { await service.respond(to: $0) }
            let targets = configuration.requiresSignature ? "signed" : "unsigned"
            let places = server.addresses.map { "\($0)" }.joined(separator: ", ")
            print("my-app serves \(targets) targets on \(places)")
            fflush(nil)
            await Termination.wait()
            // Running requests finish; new ones are refused.
            service.beginDraining()
            await server.stop(within: .seconds(20))
            await service.shutdown()
        } catch {
            FileHandle.standardError.write(Data("my-app: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// SIGTERM (systemd) and SIGINT (Control-C).
enum Termination {
    static func wait() async {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        sources.forEach { $0.cancel() }
    }
}
