import Foundation
import WebImage
import WebImageHTTP

/// Reads one query per line and prints one answer per line. In a real program, a web framework replaces this part.
@main struct Main {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let folder = arguments.first { !$0.hasPrefix("--") } ?? "previews"
        let handler = PreviewHandler(
            cacheFolder: folder, policy: arguments.contains("--allow-private") ? nil : .server)
        while let line = readLine() {
            let items = URLComponents(string: "?" + line)?.queryItems ?? []
            let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
            let response = await handler.answer(Request(query: query, ifNoneMatch: query["etag"]))
            print(response.status, response.headers["Content-Type"] ?? "text/plain", response.body.count)
        }
        await handler.shutdown()
    }
}
