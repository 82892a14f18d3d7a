import CWebImageZimg
import Foundation
import WebImageCore

/// Owns one zimg filter graph. ``ResampleGraphPool`` passes a graph to only one caller at a time.
final class ResampleGraph: Sendable {
    /// The parameters of a graph. Graphs with equal parameters are interchangeable.
    struct Shape: Equatable {
        var source: PixelSize
        /// The part of the source that is scaled to `target`; nil: the whole source. The filter reads pixels around it.
        var region: PixelRegion?
        var target: PixelSize
        /// The number of planes: 1 if all samples are scaled independently, otherwise the number of channels.
        var planeCount = 1
        var sample: Sample
        /// The number type of the result; nil if it is the same as `sample`.
        var resultSample: Sample?
        var alpha = ZIMG_ALPHA_NONE
        var processor = ResampleGraph.processor

        /// Whether the result is a few pixels of a part of the picture.
        ///
        /// For those, the vector code of zimg 3.0.4 adds the wrong samples: a part of 10×40 px had up to 68 wrong levels in a
        /// result of 10×12 px. 370 of 26,000 random parts were wrong by AVX2, 30 by SSE2, none without vector code. All results
        /// had a side of at most 11 px. Parts over the whole width that keep it were right.
        var isSmallPart: Bool {
            guard let region, min(target.width, target.height) < 16 else { return false }
            let keepsRows = region.left == 0 && region.width == Double(source.width) && target.width == source.width
            return !keepsRows && region != PixelRegion(source)
        }

        /// An upper bound of the memory of the filter weights: for each sample of the result along one side, the weights
        /// of about six source samples, or six times the ratio if the picture becomes smaller. A weight has 6 bytes. Alpha
        /// has weights of its own.
        var weightByteCount: Int {
            let copies = alpha == ZIMG_ALPHA_NONE ? 1 : 2
            return samples.reduce(0) { $0 + $1.result * ($1.weights + 16) * 6 * copies }
        }

        /// An upper bound of the memory while the weights are computed: also a matrix with 8 bytes for each weight, whose rows
        /// grow by doubling. For each sample of the result, zimg 3.0 needs 300 bytes without alpha and up to 580 with alpha
        /// if the picture becomes larger, and 1 to 2 KB if it becomes ten times smaller.
        var buildByteCount: Int {
            samples.reduce(weightByteCount) { $0 + $1.result * ($1.weights * 18 + 250) }
        }

        /// For each side that changes: the samples of the result, and the source samples of each of them.
        private var samples: [(result: Int, weights: Int)] {
            let part = region ?? PixelRegion(source)
            return [(part.width, part.left, target.width), (part.height, part.top, target.height)]
                .filter { $0.0 != Double($0.2) || $0.1 != 0 }
                .map { ($0.2, 6 * (Int(min($0.0, 1e9)) / max($0.2, 1) + 1)) }
        }

        /// The most memory of the weights while they are computed, in bytes: for sides of 250,000 px with alpha. The
        /// computation cannot be interrupted. It takes about a second for so many samples of a larger result, and up to
        /// four for a smaller one.
        static let mostBuildBytes = 128 << 20
        /// The greatest ratio of a side before and after. The time for the weights at the edges grows with its square:
        /// 0.3 s from 65,535 to 32 px, 3 s to 1 px.
        static let mostRatio = 2048

        /// Throws `.limitExceeded` if the weights need too much memory or time. Call this before anything is allocated.
        func check() throws(WebImageError) {
            let (bytes, allowed) = (buildByteCount, min(Self.mostBuildBytes, WorkBudget.current?.maxBytes ?? .max))
            guard bytes <= allowed else {
                throw WebImageError(
                    .limitExceeded, stage: .decode, underlying: .limit(.decodeBytes, actual: bytes, allowed: allowed),
                    hint: "A side is too long to scale from \(source) to \(target) px. Request a smaller image.")
            }
        }
    }

    /// The number type of one sample: 8-bit integer, 16-bit integer or half precision.
    enum Sample: Equatable {
        case byte
        case word
        case half

        init(_ format: PixelFormat) {
            self = format.isFloatingPoint ? .half : format.bitsPerComponent == 16 ? .word : .byte
        }

        var byteCount: Int { self == .byte ? 1 : 2 }

        fileprivate var type: zimg_pixel_type_e {
            switch self {
            case .byte: ZIMG_PIXEL_BYTE
            case .word: ZIMG_PIXEL_WORD
            case .half: ZIMG_PIXEL_HALF
            }
        }
    }

    let shape: Shape
    // `nonisolated(unsafe)` is safe here, because the pointer never changes and the pool passes a graph to only one
    // caller at a time.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Creates a graph and computes its filter weights. This takes a few milliseconds for a photo.
    init(_ shape: Shape) throws(WebImageError) {
        var sourceFormat = Self.format(shape.source, shape, shape.sample)
        if let region = shape.region {
            sourceFormat.active_region.left = region.left
            sourceFormat.active_region.top = region.top
            sourceFormat.active_region.width = region.width
            sourceFormat.active_region.height = region.height
        }
        var targetFormat = Self.format(shape.target, shape, shape.resultSample ?? shape.sample)
        var parameters = zimg_graph_builder_params()
        zimg_graph_builder_params_default(&parameters, Self.apiVersion)
        parameters.resample_filter = ZIMG_RESIZE_LANCZOS
        parameters.cpu_type = shape.isSmallPart ? ZIMG_CPU_NONE : shape.processor
        guard let handle = zimg_filter_graph_build(&sourceFormat, &targetFormat, &parameters) else {
            throw Self.lastError()
        }
        self.shape = shape
        self.handle = handle
    }

    deinit { zimg_filter_graph_free(handle) }

    /// The minimum number of rows in the source ring.
    var inputRowCount: Int { rowCount(zimg_filter_graph_get_input_buffering) }
    /// The minimum number of rows in the target ring.
    var outputRowCount: Int { rowCount(zimg_filter_graph_get_output_buffering) }

    /// Scales the picture. Ends early if the current ``WorkBudget`` ends. zimg calls `callbacks` for each row, to fill the source ring and to read the target ring.
    func run(
        source: PlaneRing, target: PlaneRing, callbacks: ResampleCallbacks = ResampleCallbacks()
    ) throws(WebImageError) {
        var tmpSize = 0
        zimg_filter_graph_get_tmp_size(handle, &tmpSize)
        var tmp: UnsafeMutableRawPointer?
        guard posix_memalign(&tmp, 64, max(tmpSize, 64)) == 0 else {
            throw .badData("zimg", "cannot allocate \(tmpSize) bytes")
        }
        defer { free(tmp) }
        var sourceBuffer = source.constantBuffer
        var targetBuffer = target.buffer
        // Pass `callbacks` unretained, because zimg uses it only during this call.
        let user = Unmanaged.passUnretained(callbacks).toOpaque()
        let status = withExtendedLifetime((source, target, callbacks)) {
            zimg_filter_graph_process(handle, &sourceBuffer, &targetBuffer, tmp, unpackRow, user, packRow, user)
        }
        guard status == ZIMG_ERROR_SUCCESS else {
            try callbacks.budget?.check()
            throw Self.lastError()
        }
    }

    /// The instructions that zimg may use; tests set others. All rows start at multiples of 64 bytes, so they can be the widest, AVX-512.
    /// Before version 3.0.6, zimg's AVX-512 code writes wrong columns if a picture becomes about half as wide: by up to
    /// 146 levels from 1024 to 500 px. ``ZIMG_CPU_AUTO`` leaves AVX-512 out.
    @TaskLocal static var processor = hasCorrectAVX512 ? ZIMG_CPU_AUTO_64B : ZIMG_CPU_AUTO

    /// Whether zimg's AVX-512 code writes all columns.
    static let hasCorrectAVX512: Bool = {
        var (major, minor, micro): (UInt32, UInt32, UInt32) = (0, 0, 0)
        zimg_get_version_info(&major, &minor, &micro)
        return (major, minor, micro) >= (3, 0, 6)
    }()

    static let apiVersion = UInt32(ZIMG_API_VERSION_MAJOR << 8 | ZIMG_API_VERSION_MINOR)

    private func rowCount(_ query: (OpaquePointer?, UnsafeMutablePointer<UInt32>?) -> zimg_error_code_e) -> Int {
        var count: UInt32 = 0
        guard query(handle, &count) == ZIMG_ERROR_SUCCESS else { return Int(UInt32.max) }
        return Int(zimg_select_buffer_mask(count)) + 1
    }

    private static func format(_ size: PixelSize, _ shape: Shape, _ sample: Sample) -> zimg_image_format {
        var format = zimg_image_format()
        zimg_image_format_default(&format, apiVersion)
        format.width = UInt32(clamping: size.width)
        format.height = UInt32(clamping: size.height)
        format.pixel_type = sample.type
        format.depth = UInt32(8 * sample.byteCount)
        format.pixel_range = ZIMG_RANGE_FULL
        format.color_family = shape.planeCount == 1 ? ZIMG_COLOR_GREY : ZIMG_COLOR_RGB
        format.matrix_coefficients = shape.planeCount == 1 ? ZIMG_MATRIX_UNSPECIFIED : ZIMG_MATRIX_RGB
        format.alpha = shape.alpha
        return format
    }

    private static func lastError() -> WebImageError {
        var words = [CChar](repeating: 0, count: 256)
        zimg_get_last_error(&words, words.count - 1)
        return .badData("zimg", String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}

/// The functions that zimg calls before it reads a row and after it has written a row.
class ResampleCallbacks {
    let budget = WorkBudget.current

    /// Fills a part of a row of the source ring. Returns false to end the scaling with an error.
    func unpack(row: Int, left: Int, right: Int) -> Bool { true }

    /// Reads a part of a row from the target ring.
    func pack(row: Int, left: Int, right: Int) {}
}

private func unpackRow(_ user: UnsafeMutableRawPointer?, _ row: UInt32, _ left: UInt32, _ right: UInt32) -> Int32 {
    guard let user else { return 1 }
    let callbacks = Unmanaged<ResampleCallbacks>.fromOpaque(user).takeUnretainedValue()
    // An error ends the scaling. The caller finds its cause in the budget.
    if let budget = callbacks.budget, (try? budget.check()) == nil { return 1 }
    return callbacks.unpack(row: Int(row), left: Int(left), right: Int(right)) ? 0 : 1
}

private func packRow(_ user: UnsafeMutableRawPointer?, _ row: UInt32, _ left: UInt32, _ right: UInt32) -> Int32 {
    guard let user else { return 1 }
    Unmanaged<ResampleCallbacks>.fromOpaque(user).takeUnretainedValue().pack(
        row: Int(row), left: Int(left), right: Int(right))
    return 0
}
