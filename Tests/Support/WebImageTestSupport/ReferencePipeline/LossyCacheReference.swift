import WebImageCore
import WebImageLoading

/// A model for caches that may lose entries at any time, including caches of several layers that are cleared
/// separately. It contains only the rules that apply to every cache.
///
/// A delivered image always has the requested resource, user, size and transformers. Its version is either the current
/// version at the origin or a version that a load has fetched since the last purge of the disk cache. An error is
/// allowed if the current answer of the origin or an earlier failure explains it, or if the load was cancelled.
struct LossyCacheReference: ReferenceModel {
    let resource: Int
    var answer = ReferenceOrigin.Answer()
    /// For each scope, the versions that were fetched and may be in a cache.
    private var fetched: [Int: Set<Int>] = [:]
    private var mayHaveFailed: Set<Int> = []

    init(resource: Int) { self.resource = resource }

    mutating func clearMemory() {}
    mutating func clearDisk() { fetched = [:] }
    mutating func forgetFailures() { mayHaveFailed = [] }
    mutating func restart() { mayHaveFailed = [] }
    mutating func refreshByAnotherProcess() {}

    mutating func observe(
        _ loads: [ReferenceLoad], cancelled: Set<Int>, delivered: [[ReferenceDelivery]]
    ) -> [[[ReferenceDelivery]]]? {
        for load in loads { note(load) }
        let isAllowed = zip(loads, delivered).enumerated().allSatisfy { index, pair in
            !pair.1.isEmpty && pair.1.allSatisfy { allows($0, pair.0, mayBeCancelled: cancelled.contains(index)) }
        }
        return isAllowed ? nil : [loads.map { allowed($0) }]
    }

    mutating func observeDisk(_ load: ReferenceLoad, holds picture: ReferencePicture?) -> [ReferencePicture?]? { nil }

    private mutating func note(_ load: ReferenceLoad) {
        guard let scope = load.scope else { return }
        let outcome = answer.outcome(resource: resource, user: load.credentials.user)
        if let picture = outcome.picture { fetched[scope, default: []].insert(picture.version) }
        if outcome.picture == nil && outcome.isPermanent || load.modifiedStatus != nil { mayHaveFailed.insert(scope) }
    }

    private func versions(_ load: ReferenceLoad) -> Set<Int> {
        let now = answer.outcome(resource: resource, user: load.credentials.user).picture.map { [$0.version] } ?? []
        return (load.scope.flatMap { fetched[$0] } ?? []).union(now)
    }

    private func pictures(_ load: ReferenceLoad) -> [ReferencePicture] {
        versions(load).sorted().map { version in
            var picture = ReferencePicture(
                resource: resource, user: load.credentials.user, version: version, size: load.size)
            picture.transformers = load.transformers
            picture.isTransformed = !load.transformers.isEmpty
            return picture
        }
    }

    private func codes(_ load: ReferenceLoad) -> Set<WebImageError.Code> {
        let outcome = answer.outcome(resource: resource, user: load.credentials.user)
        var codes: Set<WebImageError.Code> = []
        if let scope = load.scope, mayHaveFailed.contains(scope) { codes.insert(.blackListed) }
        if outcome.status != 200 || load.modifiedStatus == 404 { codes.insert(.invalidDownloadStatusCode) }
        if outcome.picture == nil { codes.formUnion([.badImageData, outcome.code]) }
        if load.form != .callback, load.form != .view, load.options.contains(.fromCacheOnly) {
            codes.insert(.notCached)
        }
        return codes
    }

    private func allows(_ delivery: ReferenceDelivery, _ load: ReferenceLoad, mayBeCancelled: Bool) -> Bool {
        switch delivery {
        case .picture(let picture, _): pictures(load).contains(picture)
        case .miss: load.options.contains(.fromCacheOnly)
        case .failure(let code): codes(load).contains(code) || mayBeCancelled && code == .cancelled
        case .strange: false
        }
    }

    private func allowed(_ load: ReferenceLoad) -> [ReferenceDelivery] {
        pictures(load).map { .picture($0, .all) } + codes(load).map { .failure($0) }
    }
}
