import WebImageCore
import WebImageLoading

/// The steps of a load in the model.
extension ReferencePipeline.Exploration {
    typealias World = ReferencePipeline.World
    typealias Progress = ReferencePipeline.Progress
    typealias Entry = ReferencePipeline.Entry

    func take(_ progress: inout Progress, _ world: inout World) {
        let load = progress.load
        switch progress.step {
        case .front: front(&progress, world)
        case .memory(let part):
            if let entry = memory(load, world) {
                progress.deliver(entry.picture, .memory, part)
            } else {
                progress.step = load.isVariant && looksAtDisk(load) ? .diskVariant(part) : .diskOriginal(part)
            }
        case .diskVariant(let part):
            progress.step = diskVariant(load, world).map { .keep(part, $0) } ?? .diskOriginal(part)
        case .keep(let part, let entry):
            keep(entry, from: .disk, load, isNewest: false, &world)
            progress.deliver(entry.picture, .disk, part)
        case .diskOriginal(let part): diskOriginal(part, &progress, world)
        case .fetch(let part): fetch(part, &progress, &world)
        case .store(let part, let made):
            keep(made.entry, from: made.origin, load, isNewest: made.isNewest, &world)
            progress.step = .write(part, made)
        case .write(let part, let made):
            if made.mayBeStored { write(made, load, &world) }
            progress.deliver(made.entry.picture, made.origin, part)
        case .end: break
        }
    }

    // MARK: Looking in the caches

    private func looksAtMemory(_ load: ReferenceLoad) -> Bool {
        !load.options.contains(.fromLoaderOnly) && (load.queryType ?? .all).includesMemory
    }

    private func looksAtDisk(_ load: ReferenceLoad) -> Bool {
        !load.options.contains(.fromLoaderOnly) && (load.queryType ?? .all).includesDisk
    }

    private func memory(_ load: ReferenceLoad, _ world: World) -> Entry? {
        guard looksAtMemory(load), let key = load.key, let entry = world.memory[key], entry.serves(load.limit) else {
            return nil
        }
        return entry
    }

    /// The first step, which runs before `loadImage` returns.
    private func front(_ progress: inout Progress, _ world: World) {
        let load = progress.load
        let part = load.refreshes ? Progress.Part.cached : .whole
        progress.isRefused =
            !load.options.contains(.retryFailed)
            && ReferencePipeline.FailedURL(load).map { world.failed.contains($0) } ?? false
        if let entry = memory(load, world) { return progress.deliver(entry.picture, .memory, part) }
        progress.step = .memory(part)
        guard load.options.contains(.queryDiskDataSync), looksAtDisk(load) || load.isVariant,
            !load.options.contains(.fromLoaderOnly)
        else { return }
        if load.isVariant, looksAtDisk(load), let entry = diskVariant(load, world) {
            progress.step = .keep(part, entry)
        } else if load.transformers.isEmpty, let key = load.originalKey, let stored = world.disk[key] {
            progress.step = .keep(part, made(from: stored.picture, load))
        }
    }

    /// The usable variant on disk; nil if there is none. A variant is stale if its original on disk has another
    /// version.
    private func diskVariant(_ load: ReferenceLoad, _ world: World) -> Entry? {
        guard let key = load.key, let original = load.originalKey, let entry = world.disk[key],
            world.disk[original].map({ $0.picture.version == entry.picture.version }) ?? true
        else { return nil }
        return entry.serves(load.limit) ? entry : nil
    }

    private func diskOriginal(_ part: Progress.Part, _ progress: inout Progress, _ world: World) {
        let load = progress.load
        let looks = load.isVariant ? !load.options.contains(.fromLoaderOnly) : looksAtDisk(load)
        if looks, let key = load.originalKey, let stored = world.disk[key] {
            progress.step = .store(
                part, Progress.Made(entry: made(from: stored.picture, load), origin: .disk, isNewest: false))
        } else if part == .cached {
            // The caches contain no image to deliver, so the load continues like a load without a refresh.
            progress.step = .memory(.whole)
        } else if load.options.contains(.fromCacheOnly) {
            progress.end(.miss)
        } else {
            progress.step = .fetch(part)
        }
    }

    // MARK: Fetching

    private func fetch(_ part: Progress.Part, _ progress: inout Progress, _ world: inout World) {
        let load = progress.load
        guard !progress.isRefused else { return progress.end(.failure(.blackListed)) }
        let kept = part == .whole ? nil : load.originalKey.flatMap { world.disk[$0] }
        let outcome = answer.outcome(resource: resource, user: load.credentials.user)
        // The stored bytes are current if the origin confirms their validator or sends equal bytes. After a confirmed
        // validator, the status that a response modifier sets has no effect.
        let isConfirmed = kept != nil && kept?.picture == outcome.picture
        // Without stored bytes, the fetched bytes are compared with the version of the delivered image.
        if kept == nil, case .refresh(let version) = part, version == outcome.picture?.version,
            (200..<300).contains(load.modifiedStatus ?? outcome.status), let picture = outcome.picture
        {
            // The disk has lost the bytes. They are stored again.
            let made = Progress.Made(
                entry: made(from: picture, load), origin: .none, isNewest: true, mayBeStored: !answer.isNoStore)
            writeOriginal(made, load, &world)
            return progress.end()
        }
        if isConfirmed, answer.hasValidator || load.modifiedStatus != 404, let kept {
            guard case .refresh(let version) = part, version != kept.picture.version else { return progress.end() }
            let entry = made(from: kept.picture, load)
            progress.step = .store(part, Progress.Made(entry: entry, origin: .disk, isNewest: true))
            return
        }
        let status = outcome.hasNoStatus ? 200 : load.modifiedStatus ?? outcome.status
        guard (200..<300).contains(status) else {
            return fail(.invalidDownloadStatusCode, isCondemned: status == 404, part, &progress, &world)
        }
        guard let picture = outcome.picture else {
            // A modified status makes the body of a refused response the picture.
            let isText = outcome.status == 404 || outcome.status == 503
            let isCondemned = outcome.isPermanent && !isText
            return fail(outcome.code, isCondemned: isCondemned, part, &progress, &world)
        }
        if load.options.contains(.retryFailed), let url = ReferencePipeline.FailedURL(load) { world.failed.remove(url) }
        let entry = made(from: picture, load)
        let mayBeStored = !answer.isNoStore
        progress.step = .store(
            part, Progress.Made(entry: entry, origin: .none, isNewest: true, mayBeStored: mayBeStored))
    }

    /// Ends a load with an error. The URL is blocked only under three conditions: the failure is permanent, the load is
    /// not a refresh, and the results of the load are stored.
    private func fail(
        _ code: WebImageError.Code, isCondemned: Bool, _ part: Progress.Part, _ progress: inout Progress,
        _ world: inout World
    ) {
        if isCondemned, part == .whole, let url = ReferencePipeline.FailedURL(progress.load) {
            world.failed.insert(url)
        }
        progress.end(.failure(code))
    }

    // MARK: Making and storing

    private func made(from original: ReferencePicture, _ load: ReferenceLoad) -> Entry {
        var picture = original
        picture.size = load.size
        picture.transformers = load.transformers
        picture.isTransformed = !load.transformers.isEmpty
        // If the limit did not reduce the image, the entry is the same as the entry of a load without a limit.
        let isBounded = load.limit != nil && load.size != ReferencePicture.fullSize
        return Entry(picture: picture, limit: isBounded ? load.limit : nil)
    }

    /// Stores an image in memory. When the origin has confirmed a version, images of other versions become stale. An
    /// image whose version is older than the newest known version is not stored.
    private func keep(
        _ entry: Entry, from origin: ImageCacheType, _ load: ReferenceLoad, isNewest: Bool, _ world: inout World
    ) {
        guard let key = load.key else { return }
        let version = entry.picture.version
        if isNewest || world.newest[key.scope] == nil || isTakenIn(version, from: origin, load, world) {
            if world.newest[key.scope] != version {
                world.memory = world.memory.filter { $0.key.scope != key.scope || $0.value.picture.version == version }
                world.onDisk.remove(key.scope)
            }
            world.newest[key.scope] = version
        }
        if origin == .disk, world.newest[key.scope] == version { world.onDisk.insert(key.scope) }
        guard (load.storeType ?? .all).includesMemory else { return }
        world.memory[key] = world.newest[key.scope] == version ? entry : nil
    }

    /// Whether the version on disk becomes the newest version. The known version must have been on disk: another process
    /// has then replaced it.
    private func isTakenIn(
        _ version: Int, from origin: ImageCacheType, _ load: ReferenceLoad, _ world: World
    ) -> Bool {
        guard origin == .disk, let key = load.originalKey, world.onDisk.contains(key.scope) else { return false }
        return world.disk[key]?.picture.version == version
    }

    /// Writes the original to disk and removes variants of other versions from disk. If the load stores its variant on
    /// disk, this function also writes the variant.
    private func write(_ made: Progress.Made, _ load: ReferenceLoad, _ world: inout World) {
        writeOriginal(made, load, &world)
        guard load.writesVariant, let key = load.key,
            world.newest[key.scope].map({ $0 == made.entry.picture.version }) ?? true
        else { return }
        world.disk[key] = made.entry
    }

    /// Writes the original to disk and removes images of other versions from disk. Does nothing if the original comes
    /// from disk or must not be stored.
    func writeOriginal(_ made: Progress.Made, _ load: ReferenceLoad, _ world: inout World) {
        guard made.mayBeStored, made.origin == .none, !load.isLocal, let key = load.originalKey else { return }
        let version = made.entry.picture.version
        world.disk[key] = Entry(
            picture: ReferencePicture(resource: resource, user: load.credentials.user, version: version))
        world.disk = world.disk.filter { $0.key.scope != key.scope || $0.value.picture.version == version }
        if world.newest[key.scope] == version { world.onDisk.insert(key.scope) }
    }
}
