import Foundation
import WebImage
import WebImageTesting

/// Serves generated pictures on the loopback interface, for `Scripts/demo`.
///
/// Writes one URL per line, then an empty line. Serves until standard input ends.
@main
struct Main {
    static func main() throws {
        let collection = try Collection()
        let server = try FaultServer()
        for item in collection.items {
            var response = FaultResponse(.data(item.data), headers: ["Content-Type": item.type])
            if item.isSlow {
                response.piece = max(item.data.count / 20, 1)
                response.interval = .milliseconds(75)
            }
            server.route("/" + item.name, .respond(response))
        }
        let urls = collection.items.map { server.url("/" + $0.name).absoluteString }
        // The gallery's last card shows a URL that has no picture.
        let missing = server.url("/68-missing.jpg").absoluteString
        FileHandle.standardOutput.write(Data((urls + [missing, "", ""]).joined(separator: "\n").utf8))
        while readLine() != nil {}
        server.stop()
    }
}
