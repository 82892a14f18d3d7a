import WebImageCore

extension ReferencePipeline {
    /// The progress of one load.
    struct Progress: Hashable {
        /// The part of a load that a step belongs to.
        enum Part: Hashable {
            /// The load itself.
            case whole
            /// The delivery of the cached image before a refresh.
            case cached
            /// The refresh of an image of this version; nil when the version is unknown.
            case refresh(Int?)
        }

        /// An image and its source.
        struct Made: Hashable {
            var entry: Entry
            var origin: ImageCacheType
            /// Whether the bytes were just fetched from the origin, or revalidated by it.
            var isNewest: Bool
            var mayBeStored = true
        }

        /// The next step.
        enum Step: Hashable {
            case front
            case memory(Part)
            case diskVariant(Part)
            case keep(Part, Entry)
            case diskOriginal(Part)
            case fetch(Part)
            case store(Part, Made)
            case write(Part, Made)
            case end
        }

        let load: ReferenceLoad
        var step = Step.front
        var delivered: [ReferenceDelivery] = []
        /// Whether a cancel may happen before the next step.
        var mayBeCancelled: Bool
        /// Whether it was cancelled: its effects are optional from then on.
        var isCancelled = false

        init(_ load: ReferenceLoad, mayBeCancelled: Bool) {
            self.load = load
            self.mayBeCancelled = mayBeCancelled
        }

        mutating func deliver(_ picture: ReferencePicture, _ origin: ImageCacheType, _ part: Part) {
            add(.picture(picture, origin))
            guard case .cached = part else { return step = .end }
            // The version of an image from disk that memory did not store is unknown.
            let isKnown = origin == .memory || (load.storeType ?? .all).includesMemory
            step = .fetch(.refresh(isKnown ? picture.version : nil))
        }

        mutating func end(_ delivery: ReferenceDelivery? = nil) {
            if let delivery { add(delivery) }
            step = .end
        }

        private mutating func add(_ delivery: ReferenceDelivery) { if !isCancelled { delivered.append(delivery) } }

        /// The same load after a cancel; a load that delivered its cached image has already completed.
        var cancelled: Progress {
            var progress = self
            if delivered.isEmpty { progress.delivered = [.failure(.cancelled)] }
            progress.mayBeCancelled = false
            progress.isCancelled = true
            return progress
        }
    }
}

extension ReferencePipeline {
    /// All orders in which loads can take their steps.
    struct Exploration {
        struct Point: Hashable {
            var world: World
            var loads: [Progress]
        }

        struct End: Hashable {
            var world: World
            var delivered: [[ReferenceDelivery]]
        }

        let answer: ReferenceOrigin.Answer
        let resource: Int

        /// Returns all possible ends of the loads; the running work of a cancelled load may have an effect or none.
        func ends(from worlds: Set<World>, _ loads: [Progress]) -> Set<End> {
            var open = worlds.map { Point(world: $0, loads: loads) }
            var seen = Set(open)
            var ends: Set<End> = []
            while let point = open.popLast() {
                if point.loads.allSatisfy({ $0.step == .end || $0.isCancelled }) {
                    ends.insert(End(world: point.world, delivered: point.loads.map(\.delivered)))
                }
                for next in successors(of: point) where seen.insert(next).inserted { open.append(next) }
            }
            return ends
        }

        private func successors(of point: Point) -> [Point] {
            var result: [Point] = []
            for index in point.loads.indices where point.loads[index].step != .end {
                let load = point.loads[index]
                // Loads start in their order.
                if load.step == .front, point.loads[..<index].contains(where: { $0.step == .front }) { continue }
                for (world, progress) in steps(load, point.world) {
                    var next = Point(world: world, loads: point.loads)
                    next.loads[index] = progress
                    result.append(next)
                }
                if load.mayBeCancelled, load.step != .front {
                    var next = point
                    next.loads[index] = load.cancelled
                    result.append(next)
                }
            }
            return result
        }

        /// Returns the results of a load's step; a cancelled load's effect is optional.
        private func steps(_ load: Progress, _ world: World) -> [(World, Progress)] {
            var (next, progress) = (world, load)
            take(&progress, &next)
            guard load.isCancelled, next != world else { return [(next, progress)] }
            var results = [(next, progress), (world, progress)]
            // Bytes received before the cancel may be stored, even when no image is made from them.
            if case .write(_, let made) = load.step {
                var original = world
                writeOriginal(made, load.load, &original)
                results.append((original, progress))
            }
            return results
        }
    }
}
