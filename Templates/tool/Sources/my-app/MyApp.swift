import Foundation
import WebImage
import MyAppKit

/// Writes a small WebP of each picture into the working directory: my-app SIDE FILE-OR-URL...
@main
struct MyApp {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let side = arguments.first.flatMap({ Int($0) }), side > 0, arguments.count > 1 else {
            FileHandle.standardError.write(Data("usage: my-app SIDE FILE-OR-URL...\n".utf8))
            exit(1)
        }
        var failures = 0
        for name in arguments.dropFirst() {
            do {
                let source = Source(name)
                let file = URL(fileURLWithPath: source.outputName(side: side))
                try await SmallPicture.data(of: source.url, side: side).write(to: file, options: .atomic)
                print(file.lastPathComponent)
            } catch {
                failures += 1
                FileHandle.standardError.write(Data("my-app: \(name): \(error)\n".utf8))
            }
        }
        // Wait until stored data is on disk before the process ends.
        _ = await WebImageManager.shared.shutdown()
        exit(failures == 0 ? 0 : 2)
    }
}
