import WebImageLoading

extension ReferenceHistory {
    /// Simpler versions of this history. The versions that omit the most steps come first.
    var simpler: [ReferenceHistory] {
        var result: [ReferenceHistory] = []
        for length in [steps.count / 2, steps.count / 4, 1] where length > 0 {
            for start in stride(from: 0, to: steps.count, by: length) {
                var history = self
                history.steps.removeSubrange(start..<min(start + length, steps.count))
                if !history.steps.isEmpty { result.append(history) }
            }
        }
        for (index, step) in steps.enumerated() {
            for simpler in step.simpler {
                var history = self
                history.steps[index] = simpler
                result.append(history)
            }
        }
        return result
    }
}

extension ReferenceStep {
    var simpler: [ReferenceStep] {
        switch self {
        case .load(let loads, let cancelled, let afterFirstRequest):
            var result: [ReferenceStep] = cancelled.isEmpty ? [] : [.load(loads)]
            if afterFirstRequest { result.append(.load(loads, cancelled: cancelled)) }
            for index in loads.indices {
                if loads.count > 1 {
                    var fewer = loads
                    fewer.remove(at: index)
                    let left = cancelled.filter { $0 != index }.map { $0 > index ? $0 - 1 : $0 }
                    result.append(.load(fewer, cancelled: left, afterFirstRequest: afterFirstRequest))
                }
                for simpler in loads[index].simpler {
                    var changed = loads
                    changed[index] = simpler
                    result.append(.load(changed, cancelled: cancelled, afterFirstRequest: afterFirstRequest))
                }
            }
            return result
        case .query(let load, let isSync): return load.simpler.map { .query($0, isSync: isSync) }
        case .serve, .clearMemory, .clearDisk, .expire, .clearElsewhere, .forgetFailures, .restart, .otherProcess:
            return []
        }
    }
}

extension ReferenceLoad {
    /// Simpler versions of this load. Each version omits or simplifies one property or option.
    var simpler: [ReferenceLoad] {
        func without(_ change: (inout ReferenceLoad) -> Void) -> ReferenceLoad? {
            var load = self
            change(&load)
            return load == self ? nil : load
        }
        var result = [
            without { $0.box = nil }, without { $0.transformers = [] }, without { $0.credentials = .none },
            without { $0.limit = nil }, without { $0.queryType = nil }, without { $0.storeType = nil },
            without { $0.modifiedStatus = nil }, without { $0.form = .callback },
            without { if $0.transformers.count > 1 { $0.transformers = [1] } },
        ]
        for bit in 0..<26 {
            result.append(without { $0.options.remove(WebImageOptions(rawValue: 1 << bit)) })
        }
        return result.compactMap { $0 }
    }
}
