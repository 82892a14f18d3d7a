import Foundation
import WebImageCLI

@main
struct Main {
    static func main() {
        exit(WebImageCommand.runArgumentsOfProcess())
    }
}
