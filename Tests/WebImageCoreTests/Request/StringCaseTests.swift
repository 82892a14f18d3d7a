import Testing
import WebImageCore

struct StringCaseTests {
    @Test(arguments: [
        ("http", "HTTP", true), ("Content-Type", "content-type", true), ("", "", true), ("http", "https", false),
        ("@a", "`a", false), ("[", "{", false), ("a1", "aQ", false), ("é", "É", false),
    ])
    func onlyTheCaseOfASCIILettersIsIgnored(_ left: String, _ right: String, _ same: Bool) {
        #expect(left.isSameIgnoringCase(right) == same && right.isSameIgnoringCase(left) == same)
    }
}
