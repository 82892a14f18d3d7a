import Testing
import WebImageTesting

struct SeededRandomTests {
    @Test func eachSequenceOfATreeHasASeedOfItsOwn() {
        let seeds = ["tree", "tree 2", "tree3"].flatMap { tree in
            ["a()", "b()"].flatMap { test in (1...40).map { SeededRandom.seed(of: test, number: $0, in: tree) } }
        }
        #expect(Set(seeds).count == seeds.count)
        // Repeated elsewhere, a run of the same tree has the same seeds.
        #expect(SeededRandom.seed(of: "a()", number: 1, in: "tree") == 0xBC28_AB1D_2418_0EC2)
    }
}
