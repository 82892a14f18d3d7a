import Foundation
import WebImageCore

/// A requested result: its key, and how it is made if it is not stored.
struct PictureJob: Sendable {
    let key: ResultKey
    let reference: SourcePolicy.Reference
    private(set) var demand: SourceRequestContext
    /// Where the result is stored.
    let storage: StorageRules.Storage
    /// The settings by which stored sources and results are judged.
    let rules: StoredRules
    let product: Product

    /// Returns a stored result with the lifetime that the settings allow.
    ///
    /// - Throws: A refusal if the settings forbid the result.
    func judged(_ entry: ResultEntry, now: TimeInterval) throws(ServiceRefusal) -> ResultEntry {
        try entry.judged(by: rules, reference, storage, now: now)
    }

    /// The lifetime of the result of a source.
    func lifetime(of source: Source) -> Lifetime {
        var lifetime = rules.lifetime(source.record, storage)
        lifetime.staysHere = source.lifetime.staysHere
        // A file that has changed while it was read.
        if !source.lifetime.isShared { (lifetime.maxAge, lifetime.isShared) = (source.lifetime.maxAge, false) }
        return lifetime
    }

    /// What is made from the bytes of a source. The functions are called on threads of the decode pool.
    enum Product: Sendable {
        case picture(ResultRenderer)
        case info(SourceInfo)
        /// thumbor's description of the source and the operations of a target.
        case meta(SourceInfo, ImageTarget)

        /// The memory in bytes that making the result needs.
        func cost(of source: Data) -> Int {
            switch self {
            case .picture(let renderer): renderer.cost(of: source)
            case .info(let info), .meta(let info, _): info.cost(of: source)
            }
        }

        func make(
            from source: Data, sharing: ResultRenderer.Sharing, budget: WorkBudget
        ) throws -> EncodedResult {
            switch self {
            case .picture(let renderer): try renderer.make(from: source, sharing: sharing, budget: budget)
            case .info(let info): try info.make(from: source)
            case .meta(let info, let target): try info.meta(of: source, url: target.source, options: target.options)
            }
        }

        /// The key of the decode that making the result will need, computed from the header of the source. Nil if this
        /// decode is not known.
        func decodeKey(for header: ImageInfo) -> SharedDecodes.Key? {
            guard case .picture(let renderer) = self else { return nil }
            return renderer.decodeKey(for: header)
        }
    }

    /// The job for work in the background. Its time starts now, because no request waits for it.
    func inBackground() -> PictureJob {
        var job = self
        job.demand.budget = demand.budget.renewed()
        return job
    }
}
