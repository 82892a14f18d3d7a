import WebImage
import WebImageGTK

@main
struct Main {
    static func main() {}
}
