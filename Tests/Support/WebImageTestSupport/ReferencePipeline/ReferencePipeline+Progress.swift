import WebImageCore
import WebImageLoading

extension ReferencePipeline {
    /// The state of one load in the model.
    struct Progress: Hashable {
        /// A part of a load. Each step belongs to one part.
        enum Part: Hashable {
            /// The whole load, if the load has no refresh or finds no cached image. This part delivers one image.
            case whole
            /// The first part of a load with a refresh. This part delivers the cached image.
            case cached
            /// The second part of a load with a refresh. This part begins after the delivery of the cached image. The
            /// associated value is the version of the cached image.
            case refresh(Int)
        }

        /// An image that a load has made but not delivered yet, and the source of the image.
        struct Made: Hashable {
            var entry: Entry
            var origin: ImageCacheType
            /// Whether the origin has just sent or revalidated the bytes.
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
        /// Whether the load can be cancelled before its next step.
        var mayBeCancelled: Bool
        /// Whether the load was cancelled. The model then allows two results of each later step: with and without the
        /// effect of the step.
        var isCancelled = false
        /// Whether the loader must not be used, because the URL had failed when the load began.
        var isRefused = false

        init(_ load: ReferenceLoad, mayBeCancelled: Bool) {
            self.load = load
            self.mayBeCancelled = mayBeCancelled
        }

        mutating func deliver(_ picture: ReferencePicture, _ origin: ImageCacheType, _ part: Part) {
            add(.picture(picture, origin))
            guard case .cached = part else { return step = .end }
            step = .fetch(.refresh(picture.version))
        }

        mutating func end(_ delivery: ReferenceDelivery? = nil) {
            if let delivery { add(delivery) }
            step = .end
        }

        private mutating func add(_ delivery: ReferenceDelivery) { if !isCancelled { delivered.append(delivery) } }

        /// The same load after a cancel. If the load has already delivered its cached image, it is complete and does
        /// not deliver `.cancelled`.
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
    /// Explores all orders in which concurrent loads can perform their steps.
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

        /// Returns all possible final states of the loads. If a load is cancelled while its work runs, the result
        /// contains states with and without the effect of this work.
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
                // A load does not start until all earlier loads have started. An `async` load starts at any time.
                let isWaiting = point.loads[..<index].contains { $0.step == .front && $0.load.form != .async }
                if load.step == .front, load.load.form != .async, isWaiting { continue }
                // The fetch of a stalled resource never ends. The load can only be cancelled.
                var stalls = false
                if case .fetch = load.step {
                    stalls = answer.stalls(user: load.load.credentials.user) && !load.load.isLocal
                }
                for (world, progress) in stalls ? [] : steps(load, point.world) {
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

        /// Returns the possible results of a load's next step. A step of a cancelled load has at least two results:
        /// with and without its effect.
        private func steps(_ load: Progress, _ world: World) -> [(World, Progress)] {
            var (next, progress) = (world, load)
            take(&progress, &next)
            guard load.isCancelled, next != world else { return [(next, progress)] }
            var results = [(next, progress), (world, progress)]
            // Add the result in which only the original is stored. This result is possible, because the load received
            // the bytes of the original before the cancel.
            if case .write(_, let made) = load.step {
                var original = world
                writeOriginal(made, load.load, &original)
                results.append((original, progress))
            }
            return results
        }
    }
}
