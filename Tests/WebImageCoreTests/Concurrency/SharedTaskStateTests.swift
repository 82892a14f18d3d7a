import Testing
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Sends random sequences of events to the state and checks the invariants after each event.
struct SharedTaskStateTests {
    private typealias State = SharedTaskState<Int, Int>

    private struct Model {
        var state = State()
        /// The ID of the run for each subscriber, from its join until it leaves. A subscriber that was cancelled before
        /// its join has no run.
        var runs: [UInt64: UInt64] = [:]
        var resumed: Set<UInt64> = []
        var cancelled: Set<UInt64> = []
        var waiting: Set<UInt64> = []
        var working: Set<UInt64> = []
        var cancelledWork: Set<UInt64> = []
        var consumed: Set<UInt64> = []
        var abandoned: Set<UInt64> = []
        var succeeded: Set<UInt64> = []
        var released: Set<UInt64> = []

        mutating func perform(_ actions: [State.Action]) {
            for action in actions {
                switch action {
                case .cancelWork(let run):
                    let active = runs.filter { $0.value == run && !cancelled.contains($0.key) }
                    #expect(active.isEmpty, "work is cancelled although a subscriber waits for it")
                    cancelledWork.insert(run)
                case .resume(let subscriber, _):
                    let (waited, isFirst) = (waiting.remove(subscriber) != nil, resumed.insert(subscriber).inserted)
                    #expect(waited, "a subscriber resumes that does not wait")
                    #expect(isFirst, "a subscriber resumes twice")
                case .abandon(let run, _):
                    #expect(!consumed.contains(run), "a value that was used is abandoned")
                    let isFirst = abandoned.insert(run).inserted
                    #expect(isFirst, "a value is abandoned twice")
                case .release(let run, _):
                    let isFirst = released.insert(run).inserted
                    #expect(isFirst, "a run is released twice")
                case .updatePriority, .removeListener: break
                }
            }
        }
    }

    /// During a run, the key is hashed only once. For loads, the key is an identity with dozens of fields. To hash
    /// this identity costs more than all other work of a step.
    @Test func sharedTaskHashesItsKeyOnce() {
        var state = SharedTaskState<CountedKey, Int>()
        guard case .waits(let run, true) = state.join(1, key: HashedKey(CountedKey()), priority: .normal) else {
            Issue.record("the first subscriber starts the run")
            return
        }
        _ = state.finish(run, .success(1))
        _ = state.leave(1, consumed: true)
        #expect(state.isEmpty)
        #expect(CountedKey.hashCount.withLock { $0 } == 1)
    }

    private struct CountedKey: Hashable {
        static let hashCount = Locked(0)
        private let number = 1

        func hash(into hasher: inout Hasher) {
            Self.hashCount.withLock { $0 += 1 }
            hasher.combine(number)
        }
    }

    @Test(arguments: 0..<40)
    func everySequenceOfEventsKeepsTheInvariants(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var model = Model()
        for subscriber in UInt64(1)...60 {
            if Int.random(in: 0..<8, using: &random) == 0 {
                model.cancelled.insert(subscriber)
                model.perform(model.state.cancel(subscriber))
            }
            join(subscriber, &model, &random)
            for _ in 0..<Int.random(in: 0..<4, using: &random) { step(&model, &random) }
        }
        while !model.runs.isEmpty || !model.working.isEmpty { step(&model, &random) }
        #expect(model.state.isEmpty, "seed \(seed): state is left after the last subscriber")
        #expect(model.waiting.isEmpty)
        #expect(model.succeeded.subtracting(model.consumed) == model.abandoned, "seed \(seed)")
    }

    private func join(_ subscriber: UInt64, _ model: inout Model, _ random: inout SeededRandom) {
        let priority: LoadPriority = [.low, .normal, .high].randomElement(using: &random) ?? .normal
        switch model.state.join(subscriber, key: HashedKey(Int.random(in: 0..<3, using: &random)), priority: priority) {
        case .cancelled: #expect(model.cancelled.contains(subscriber))
        case .finished(let run, _):
            #expect(!model.released.contains(run))
            model.runs[subscriber] = run
        case .waits(let run, let isNew):
            #expect(!model.cancelledWork.contains(run), "a cancelled run is joined")
            model.runs[subscriber] = run
            model.waiting.insert(subscriber)
            if isNew { model.working.insert(run) }
        }
        #expect(model.runs[subscriber] == nil || !model.cancelled.contains(subscriber))
    }

    private func step(_ model: inout Model, _ random: inout SeededRandom) {
        let subscriber = model.runs.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            guard let subscriber else { return }
            model.cancelled.insert(subscriber)
            model.perform(model.state.cancel(subscriber))
            #expect(!model.waiting.contains(subscriber), "a cancelled subscriber still waits")
        case 1:
            guard let run = model.working.sorted().randomElement(using: &random) else { return }
            model.working.remove(run)
            let succeeds = Bool.random(using: &random)
            if succeeds { model.succeeded.insert(run) }
            model.perform(model.state.finish(run, succeeds ? .success(1) : .failure(.cancelled)))
            #expect(!model.waiting.contains { model.runs[$0] == run }, "a subscriber waits for finished work")
        case 2:
            guard let subscriber else { return }
            model.perform(model.state.move(subscriber, to: .high))
        default:
            // A subscriber that still waits for the result cannot leave.
            guard let subscriber, !model.waiting.contains(subscriber), let run = model.runs[subscriber] else { return }
            let consumes =
                model.succeeded.contains(run) && !model.cancelled.contains(subscriber) && Bool.random(using: &random)
            if consumes { model.consumed.insert(run) }
            model.runs[subscriber] = nil
            model.perform(model.state.leave(subscriber, consumed: consumes))
        }
    }

    @Test func sharedTaskHasTheHighestPriorityOfItsSubscribers() {
        var state = State()
        guard case .waits(let run, _) = state.join(1, key: HashedKey(0), priority: .low) else { return }
        _ = state.join(2, key: HashedKey(0), priority: .high)
        #expect(state.priority(of: run) == .high)
        _ = state.leave(2, consumed: false)
        #expect(state.priority(of: run) == .low)
    }

    @Test(arguments: 0..<20)
    func smallTableIsADictionary(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (table, dictionary) = (SmallTable<Int>(), [UInt64: Int]())
        for step in 0..<100 {
            let id = UInt64.random(in: 0..<4, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: #expect(table.remove(id) == dictionary.removeValue(forKey: id), "seed \(seed)")
            case 1: (table[id], dictionary[id]) = (nil, nil)
            default: (table[id], dictionary[id]) = (step, step)
            }
            var all: [UInt64: Int] = [:]
            table.forEach { id, value in all[id] = value }
            #expect(all == dictionary && table[id] == dictionary[id], "seed \(seed)")
        }
    }
}
