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
            return display.whenSized(within: deadline) { [weak self, weak load] size in
                guard let load else { return }
                self?.record(size, of: load, isDefault: false)
                load.start(thumbnail: size)
            }
        }
        guard display.decodesAtViewSize, request.isSizedByView,
            // A picture that is in memory at full size needs no other size and no wait.
            request.options.contains(.fromLoaderOnly)
                || request.imageInMemory(request.request) == nil
        else { return load.start() }
        // A load that must not wait begins now, at full size if the view has no layout.
        let isSynchronous = !request.options.isDisjoint(with: [.queryMemoryDataSync, .queryDiskDataSync])
        var hasStarted = false
        display.whenGivenSize(expected: request.expectedSize, within: ViewThumbnail.defaultDeadline) {
            [weak self, weak load] size in
            guard let load, !hasStarted else { return }
            hasStarted = true
            self?.record(size.box, of: load, isDefault: true)
            load.start(thumbnail: size.box)
        }
        if isSynchronous, !hasStarted {
            hasStarted = true
            load.start()
        }
    }

    /// Records the size of the view at which a load decodes its picture.
    private func record(_ box: CGSize?, of load: ViewLoad, isDefault: Bool) {
        guard let slot = slots[load.key], slot.newest == load.generation else { return }
        (slot.decodedBox, slot.isSizedByDefault) = (box, isDefault)
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

    /// Whether ``sharpenPictures()`` has something to do.
    package var needsSharpening: Bool {
        guard let size = display?.drawnSize else { return false }
        return slots.values.contains { blurredPicture(of: $0, at: size) != nil }
    }

    /// Decodes the shown pictures again that were decoded for a smaller view. The view keeps the present pictures
    /// meanwhile, and also if a load fails.
    package func sharpenPictures() {
        guard let size = display?.drawnSize else { return }
        for (key, slot) in slots {
            guard let asked = slot.asked, let shown = blurredPicture(of: slot, at: size) else { continue }
            let load = ViewLoad(
                key: key, generation: nextGeneration(), request: asked.forSharpening, listener: ViewLoadListener(),
                replacing: shown, binding: self)
            slot.newest = load.generation
            slot.decodedBox = size.box
            slot.running.append(load)
            load.start(thumbnail: size.box)
        }
    }

    /// Returns the shown picture of a slot if it was decoded for a view that was smaller than `size`; otherwise nil.
    private func blurredPicture(of slot: ViewSlot, at size: ViewSize) -> Image? {
        guard slot.running.isEmpty, let box = slot.decodedBox, let asked = slot.asked, let shown = slot.shown,
            displayed(asked) === shown, shown.isSharper(at: size, than: box)
        else { return nil }
        return shown
    }
}

extension ViewLoadRequest {
    /// Whether the view may decode the picture at its own size, because neither the request nor the manager determines
    /// the size, and the view itself shows the picture.
    fileprivate var isSizedByView: Bool {
        guard owner == nil, own != nil || setImage == nil, let imageManager else { return false }
        return imageManager.isSizedByView(options, context)
    }

    /// The request of the same picture for a larger view.
    fileprivate var forSharpening: ViewLoadRequest {
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

extension Image {
    /// Returns whether the picture, which was decoded for a view of the size `box`, has more pixels if it is decoded for
    /// `size`.
    fileprivate func isSharper(at size: ViewSize, than box: CGSize) -> Bool {
        guard let source = sourcePixelSize else { return false }
        let target: PixelSize
        switch size {
        case .unknown: return false
        case .full: target = source
        case .box(let larger):
            guard larger.width > box.width || larger.height > box.height, let larger = PixelSize(box: larger) else {
                return false
            }
            target = ImageScaling.size(of: source, in: larger, preserveAspectRatio: true, allowsEnlarging: isVector)
        }
        return target.width > pixelSize.width + 1 || target.height > pixelSize.height + 1
    }
}
