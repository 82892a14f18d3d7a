public import Foundation

/// A list of coders. A file is decoded by the coder that recognises its content. If several coders recognise the
/// content, the last of them in the list decodes the file. If this coder fails, no other coder is tried.
///
/// The choice of the coder depends only on the content, never on a file's name or its declared type. Safe on any
/// thread.
public final class ImageCodersManager: Sendable {
    /// The shared list of coders. Initially it contains the built-in coders.
    public static let shared = ImageCodersManager(coders: makeDefaultCoders.withLock { $0 }.call())

    /// The function that makes the built-in coders. The last of these coders is tried first. ``WebImageDefaults`` sets
    /// the function.
    package static let makeDefaultCoders = Locked<LockedFunction<@Sendable () -> [any ImageCoder]>>(
        LockedFunction { [] })

    private struct State {
        var list: RoleList<RegisteredCoder>
        var replacement: RegisteredCoder.Replacement?
    }

    private let state: Locked<State>

    /// Makes a list of coders. The last coder is tried first.
    public init(coders: [any ImageCoder]) {
        state = Locked(State(list: RoleList(coders.map { RegisteredCoder($0) })))
    }

    /// The coders. The last coder is tried first.
    public var coders: [any ImageCoder] {
        get { resolvedCoders.map(\.role) }
        set {
            state.withLock { state in
                state.list.roles = newValue.map { RegisteredCoder($0, replacedBy: state.replacement) }
            }
        }
    }

    /// Adds a coder. The new coder is tried before all other coders.
    public func addCoder(_ coder: any ImageCoder) {
        state.withLock { $0.list.roles.append(RegisteredCoder(coder, replacedBy: $0.replacement)) }
    }

    /// Removes a coder. If the coder is an object, removes this object. If the coder is a value that is `Hashable` or
    /// has no stored properties, removes all equal values. For every other value, removes the last coder of the same
    /// type.
    public func removeCoder(_ coder: any ImageCoder) {
        let identity = RoleIdentity(coder)
        // A program may name the coder that it has added, or the one that it has found in `coders`.
        state.removeRole(\.list, coder) { RoleIdentity($0.role) == identity ? $0.role : $0.registered }
    }

    /// Replaces the coders of the list, and those that are added later. Each coder is replaced when it is used first, so
    /// that the call costs only a few objects.
    ///
    /// - Parameter replacement: returns the coder that is used instead, or the same one. It is called once for each
    ///   coder, under a lock.
    package func replaceCoders(_ replacement: @escaping RegisteredCoder.Replacement) {
        state.withLock { state in
            state.replacement = replacement
            state.list.roles = state.list.roles.map { RegisteredCoder($0.registered, replacedBy: replacement) }
        }
    }

    /// The coders with the roles that they implement. The last coder is tried first.
    package var resolvedCoders: [RegisteredCoder] { state.withLock { $0.list.roles } }

    /// The coder that recognises the content; nil if no coder recognises it.
    func decoder(for data: Data) -> RegisteredCoder? {
        var file = SniffedFile(data)
        return resolvedCoders.last { $0.canDecode(&file) }
    }

    /// The last coder that can decode animations and recognises the content.
    func animatedCoder(for data: Data) -> (any AnimatedImageCoder)? {
        var file = SniffedFile(data)
        return resolvedCoders.last { $0.mayRead(&file) && $0.role.animated?.canDecode(from: data) ?? false }?.role
            .animated
    }

    /// The last coder that can make partial images of a file. `start` contains its first bytes.
    func progressiveCoder(for start: Data) -> (any ProgressiveImageCoder)? {
        var file = SniffedFile(start)
        return resolvedCoders.last {
            $0.mayRead(&file) && $0.role.progressive?.canIncrementalDecode(from: start) ?? false
        }?.role.progressive
    }

    /// All coders that recognise the content.
    func readers(of data: Data) -> [RegisteredCoder] {
        var file = SniffedFile(data)
        return resolvedCoders.filter { $0.canDecode(&file) }
    }

    private func encoder(for format: ImageFormat) -> RegisteredCoder? {
        resolvedCoders.last { $0.role.canEncode(to: format) }
    }

    /// Reads the description of the image from the header of the file. Returns nil if no coder recognises the data, if its
    /// coder does not describe files, or if the header cannot be read.
    func headerInfo(of data: Data, limits: DecodingLimits) -> ImageInfo? {
        guard let coder = decoder(for: data)?.role, coder.describesFiles else { return nil }
        return try? coder.imageInfo(of: data, limits: limits)
    }

    /// Makes a coder for one image that is being downloaded. `start` contains the first bytes of the file. Returns
    /// nil when no coder can make partial images of this format.
    public func makeIncrementalCoder(
        for start: Data, options: DecodingOptions
    ) -> (any ProgressiveImageCoder)? {
        guard let coder = decoder(for: start)?.role.progressive, coder.canIncrementalDecode(from: start) else {
            return nil
        }
        return type(of: coder).init(incremental: options)
    }
}

extension ImageCodersManager: ImageCoder {
    /// Returns whether any coder recognises the data.
    public func canDecode(from data: Data) -> Bool { decoder(for: data) != nil }

    /// Returns whether any coder can write a format.
    public func canEncode(to format: ImageFormat) -> Bool { encoder(for: format) != nil }

    /// Returns the description of the image in a file, from the coder that recognises the content.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        guard let coder = decoder(for: data) else { throw .noCoder(for: data) }
        return try coder.role.imageInfo(of: data, limits: limits)
    }

    /// Returns the metadata of a file, from the coder that recognises the content.
    public func imageProperties(
        of data: Data, limits: DecodingLimits = .default
    ) throws(WebImageError) -> ImageProperties {
        try limits.checkEncodedBytes(data.count)
        guard let coder = decoder(for: data) else { throw .noCoder(for: data) }
        return try coder.role.imageProperties(of: data, limits: limits)
    }

    /// Decodes the image with the coder that recognises the content.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        guard let coder = decoder(for: data) else { throw .noCoder(for: data) }
        let image = try coder.role.decode(data, options: options)
        image.decodingOptions = options
        return image
    }

    /// Returns the encoded file. If several coders can write the format, the last of them in the list is used.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard let coder = encoder(for: format) else {
            throw WebImageError(
                .encodingFailed, stage: .encode, underlying: .message("no coder writes \(format)"),
                hint: "Choose JPEG, PNG or WebP, or add a coder for this format.")
        }
        return try coder.role.encode(image, format: format, options: options)
    }
}

extension WebImageError {
    /// The error for data that no coder recognises.
    package static func noCoder(for data: Data) -> WebImageError {
        if data.isEmpty {
            return .badData("sniffer", "the data is empty", hint: "Check what the server sent or the file contains.")
        }
        let format = ImageFormat(sniffing: data)
        guard format == .undefined else {
            return WebImageError(
                .unsupportedFormat, stage: .decode,
                underlying: .codec(library: "sniffer", message: "no coder reads \(format)"),
                hint: "Add a coder for this format.")
        }
        let start = data.prefix(8).map { String(plainFormat: "%02x", $0) }.joined(separator: " ")
        return .badData(
            "sniffer", "no known picture format starts with \(start)",
            hint: "Check what the server sent or the file contains.")
    }
}

extension ImageCodersManager {
    /// Opens an animation with the coder that recognises the content. Returns nil if this coder cannot decode
    /// animations.
    ///
    /// - Throws: `.badImageData` when no coder recognises the data or the coder cannot read the data, `.limitExceeded`
    ///   when the animation exceeds the limits in `options`.
    public func animation(
        of data: Data, options: DecodingOptions
    ) throws(WebImageError) -> (any AnimatedImageCoder)? {
        try options.limits.checkEncodedBytes(data.count)
        guard let coder = decoder(for: data) else {
            throw .badData("sniffer", "no coder reads this data", hint: "Add a coder for its format.")
        }
        return try coder.animation(of: data, options: options)
    }
}

extension ImageCodersManager {
    /// Returns the encoded animation. If several coders can write animations in the format, the last of them in
    /// the list is used.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard let coder = frameEncoder(for: format) else {
            throw WebImageError(
                .encodingFailed, stage: .encode, underlying: .message("no coder writes animations as \(format)"),
                hint: "Choose GIF, PNG or WebP, or add a coder for this format.")
        }
        return try coder.encode(
            frameCount: frameCount, loopCount: loopCount, format: format, options: options, frame: frame)
    }

    /// Returns whether any coder writes animations in the format.
    public func canEncodeFrames(to format: ImageFormat) -> Bool {
        frameEncoder(for: format) != nil
    }

    private func frameEncoder(for format: ImageFormat) -> (any ImageCoder)? {
        resolvedCoders.last { $0.role.canEncodeFrames(to: format) }?.role
    }
}
