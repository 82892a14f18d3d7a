import Foundation
import WebImageCLI

@main
struct Main {
    static func main() {
        let code = WebImageCommand.runArgumentsOfProcess()
        // Not `exit`: it runs the destructors of all libraries, while threads may still use what those destroy. One service
        // in about 1,000 that were stopped under load crashed so, after its last line.
        fflush(nil)
        _exit(code)
    }
}
