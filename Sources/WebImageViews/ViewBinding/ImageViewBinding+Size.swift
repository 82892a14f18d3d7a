package import Foundation
package import WebImageCore
package import WebImageLoading

// The size at which pictures are decoded.
extension ImageViewBinding {
    /// Starts a load as soon as the size is known at which its picture is decoded.
    func start(_ load: ViewLoad) {
        let request = load.request
        guard let display else { return load.start() }
        if let wanted = request.context.viewThumbnail {
            guard let deadline = wanted.deadline else { return load.start() }
            return display.whenSized(expected: request.expectedSize, within: deadline) {
                [weak self, weak load] size in
                guard let load else { return }
                self?.start(load, at: size, isDefault: false)
            }
        }
        guard display.decodesAtViewSize, request.isSizedByView else { return load.start() }
        // A picture that is in memory at full size needs no wait.
        if !request.options.contains(.fromLoaderOnly), let whole = request.imageInMemory(request.request) {
            return start(load, showing: whole, in: display)
        }
        // A load that must not wait begins now, at full size if the view has no layout.
        let isSynchronous = !request.options.isDisjoint(with: [.queryMemoryDataSync, .queryDiskDataSync])
        var hasStarted = false
        display.whenGivenSize(expected: request.expectedSize, within: ViewThumbnail.defaultDeadline) {
            [weak self, weak load] size in
            guard let load, !hasStarted else { return }
            hasStarted = true
            self?.start(load, at: size, isDefault: true)
        }
        if isSynchronous, !hasStarted {
            hasStarted = true
            display.followSize()
            start(load, at: .unknown, isDefault: true)
        }
    }

    /// Starts a load that shows a picture which is in memory at full size. A still picture is scaled when it is drawn. An
    /// animation is decoded again if the view is much smaller, and a drawing of vectors if the view is larger.
    private func start(_ load: ViewLoad, showing whole: Image, in display: any ImageDisplaying) {
        if whole.isAnimated || whole.isVector, let slot = slots[load.key], slot.newest == load.generation {
            let pixels = CGSize(width: whole.pixelSize.width, height: whole.pixelSize.height)
            (slot.decodedBox, slot.isSizedByDefault) = (whole.isVector ? pixels : ViewSize.wholeBox, true)
            display.followSize()
        }
        load.start()
    }

    /// Starts a load that decodes its picture for a size of the view, and records the box of the picture.
    private func start(_ load: ViewLoad, at size: ViewSize, isDefault: Bool) {
        let box = load.request.box(at: size)
        if let slot = slots[load.key], slot.newest == load.generation {
            // A view that has by chance the size of its picture may get another size later, and a view without a layout,
            // such as that of a page that is not shown, gets its size later.
            let isWhole = size == .unknown || (isDefault && size == .full)
            (slot.decodedBox, slot.isSizedByDefault) = (isWhole ? ViewSize.wholeBox : box, isDefault)
        }
        load.start(thumbnail: box)
    }

    /// Returns the natural size in points of an image that the view shows. A picture that was decoded at the size of the
    /// view without a request for this size has the natural size of the whole picture. So the layout is the same at any
    /// size of decoding.
    package func naturalSize(of image: Image) -> CGSize {
        guard let source = image.sourcePixelSize, source != image.pixelSize,
            slots.values.contains(where: {
                $0.isSizedByDefault && $0.decodedBox != nil && ($0.shown === image || $0.partial === image)
            })
        else { return image.size }
        return CGSize(width: CGFloat(source.width) / image.scale, height: CGFloat(source.height) / image.scale)
    }

    /// Whether ``resizePictures()`` has something to do.
    package var needsResizing: Bool {
        guard let size = display?.drawnSize else { return false }
        return slots.values.contains { unfitPicture(of: $0, at: size) != nil }
    }

    /// Decodes the shown pictures again that were decoded for a smaller view, and the animations that were decoded for a
    /// much larger view. The view keeps the present pictures meanwhile, and also if a load fails.
    package func resizePictures() {
        guard let size = display?.drawnSize else { return }
        for (key, slot) in slots {
            guard let asked = slot.asked, let shown = unfitPicture(of: slot, at: size) else { continue }
            let load = ViewLoad(
                key: key, generation: nextGeneration(), request: asked.forResizing,
                listener: ViewLoadListener(), replacing: shown, binding: self)
            slot.newest = load.generation
            slot.decodedBox = size.box(for: shown.sourcePixelSize, isVector: shown.isVector)
            slot.running.append(load)
            load.start(thumbnail: slot.decodedBox)
        }
    }

    /// Returns the shown picture of a slot if it was decoded for a view that was smaller than `size`, or if it is an
    /// animation that was decoded for a view that was much larger; otherwise nil. A still picture is scaled when it is
    /// drawn, but each frame of an animation would have to be scaled.
    private func unfitPicture(of slot: ViewSlot, at size: ViewSize) -> Image? {
        guard slot.running.isEmpty, let box = slot.decodedBox, let asked = slot.asked, let shown = slot.shown,
            displayed(asked) === shown
        else { return nil }
        if shown.isSharper(at: size, than: box) { return shown }
        return shown.isAnimated && shown.isMuchLarger(at: size, than: box) ? shown : nil
    }
}

extension ViewLoadRequest {
    /// Whether the view may decode the picture at its own size, because neither the request nor the manager determines
    /// the size, and the view itself shows the picture.
    fileprivate var isSizedByView: Bool {
        guard owner == nil, own != nil || setImage == nil, let imageManager else { return false }
        return imageManager.isSizedByView(options, context)
    }

    /// Returns the box in which the picture is decoded for a size of the view; nil without a limit.
    func box(at size: ViewSize) -> CGSize? {
        guard case .area = size else { return size.box(for: nil) }
        return size.box(for: imageManager?.rememberedPixelSize(of: request))
    }

    /// The request of the same picture for another size of the view.
    fileprivate var forResizing: ViewLoadRequest {
        var request = self
        request.request.options.subtract([.refreshCached, .fromLoaderOnly, .forceTransition, .progressiveLoad])
        return request
    }
}

extension WebImageManager {
    /// Returns whether a view may decode the picture of a request at the view's size. False if the request has a size, or
    /// if the result depends on the size of the decoded picture in another way: because of a transformer, because of a
    /// delegate, which receives only whole pictures, or because of an options processor, which may add a size.
    package func isSizedByView(options: WebImageOptions, context: WebImageContext?) -> Bool {
        isSizedByView(options, RequestContext(context))
    }

    fileprivate func isSizedByView(_ options: WebImageOptions, _ context: RequestContext) -> Bool {
        options.isDisjoint(with: [.avoidAutoSetImage, .scaleDownLargeImages])
            && context.size == nil && context.preservesAspectRatio == nil && context.scaleDownLimitBytes == nil
            && context.decodeOptions == nil && context.viewThumbnail == nil && delegate == nil
            && optionsProcessor == nil
            && context.transformer(default: transformer) == nil
    }
}

extension WebImageManager {
    /// Returns the size of the whole picture of a request if the cache remembers it; nil also with a transformer, because
    /// the sides of its result are unknown.
    package func rememberedPixelSize(of request: ImageRequest) -> PixelSize? {
        guard request.values.transformer(default: transformer) == nil else { return nil }
        var whole = request
        whole.size = nil
        // A class check, because the sizes are remembered by the default cache alone.
        return ((whole.cache ?? imageCache) as? ImageCache)?.pixelSize(forKey: cacheKey(for: whole))
    }
}

extension Image {
    /// Returns whether the picture, which was decoded for a view of the size `box`, has more pixels if it is decoded for
    /// `size`.
    fileprivate func isSharper(at size: ViewSize, than box: CGSize) -> Bool {
        guard let target = self.size(at: size) else { return false }
        // A drawing of vectors that was decoded whole has the size of its file, and can have any number of pixels.
        let box =
            isVector && box == ViewSize.wholeBox ? CGSize(width: pixelSize.width, height: pixelSize.height) : box
        // A picture that did not get the pixels that its box promised would be decoded again for ever.
        if let new = size.box(for: sourcePixelSize, isVector: isVector), new.width <= box.width,
            new.height <= box.height
        {
            return false
        }
        return target.width > pixelSize.width + 1 || target.height > pixelSize.height + 1
    }

    /// Returns whether the picture, which was decoded for a view of the size `box`, has at least twice the width and height
    /// that it has if it is decoded for `size`.
    fileprivate func isMuchLarger(at size: ViewSize, than box: CGSize) -> Bool {
        guard let target = self.size(at: size), let new = size.box(for: sourcePixelSize, isVector: isVector),
            new.width <= box.width, new.height <= box.height, new != box
        else { return false }
        return pixelSize.width >= 2 * target.width && pixelSize.height >= 2 * target.height
    }

    /// Returns the size of the picture in pixels if it is decoded for a size of the view; nil if this is unknown.
    private func size(at size: ViewSize) -> PixelSize? {
        guard let source = sourcePixelSize else { return nil }
        switch size {
        case .unknown: return nil
        case .full: return source
        case .box, .area:
            guard let box = size.box(for: source, isVector: isVector).flatMap({ PixelSize(box: $0) }) else {
                return nil
            }
            return ImageScaling.size(of: source, in: box, preserveAspectRatio: true, allowsEnlarging: isVector)
        }
    }
}
