import Foundation

/// The parsed command line.
struct Options {
    var json: String?
    var isQuick = false
    var countsInstructions = false
    /// The folder that contains the input pictures.
    var data = URL(fileURLWithPath: "../../shared/conformance/bench")
    /// The numbers of entries that the disk caches contain before the measurement. There is one contest per number.
    var entries = [1000, 10_000, 100_000]
    /// The sizes in bytes of the values that the disk caches store and read.
    var sizes = [1, 4, 20, 64, 100, 1024].map { $0 * 1024 }
    /// The four arguments after `--alone`, or nil without this option. With this option, the process measures only one
    /// competitor. See ``IsolatedRun``.
    var alone: [String]?
    var isHelp = false
    /// The scenarios to run. These are the scenarios named on the command line, or all scenarios if none is named.
    var scenarios: [String] = []
    private var chosenRounds: Int?

    /// Returns the number of rounds. This is the value of `--rounds`. Without `--rounds`, it is `quick` if `--quick` is
    /// set, and otherwise `usual`.
    func rounds(_ usual: Int, quick: Int) -> Int { chosenRounds ?? (isQuick ? quick : usual) }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(_ option: String) throws -> String {
            guard let value = rest.popFirst() else { throw ScenarioError.unknown("\(option) without a value") }
            return value
        }
        func numbers(_ option: String) throws -> [Int] {
            try value(option).split(separator: ",").compactMap { Int($0) }
        }
        var (chosenEntries, chosenSizes): ([Int]?, [Int]?)
        while let word = rest.popFirst() {
            switch word {
            case "--help": isHelp = true
            case "--quick": isQuick = true
            case "--instructions": countsInstructions = true
            case "--million": entries.append(1_000_000)
            case "--json": json = try value(word)
            case "--rounds": chosenRounds = Int(try value(word))
            case "--data": data = URL(fileURLWithPath: try value(word))
            case "--entries": chosenEntries = try numbers(word)
            case "--sizes": chosenSizes = try numbers(word).map { $0 * 1024 }
            case IsolatedRun.option: alone = try (0..<4).map { _ in try value(word) }
            case _ where word.hasPrefix("-"): throw ScenarioError.unknown(word)
            default: scenarios.append(word)
            }
        }
        if isQuick { (entries, sizes) = ([1000, 10_000], [20 * 1024]) }
        (entries, sizes) = (chosenEntries ?? entries, chosenSizes ?? sizes)
        if scenarios.isEmpty { scenarios = Scenarios.names }
    }

    static let help = """
        usage: webimage-benchmarks [OPTION...] [SCENARIO...]
          --rounds N       how often each competitor is timed: 21 unless said, downloads 9, disk 5
          --quick          5 times, downloads 2; of disk only 10³ and 10⁴ entries of 20 KB
          --instructions   also counts instructions, by perf stat or valgrind: takes many times as long
          --json FILE      keeps every sample
          --data DIR       the folder of the inputs
          --million        disk also with 10⁶ entries: takes half an hour and 5 GB
          --entries N,N    disk with these numbers of entries alone
          --sizes KB,KB    disk with these values alone
        scenarios: \(Scenarios.names.joined(separator: " ")); own-times by itself, see ./run debug-build;
          delivery-settings by itself prints size and fidelity by setting
        """
}
