import Foundation
import WebImageCore

/// Small pictures that a worker decodes before and after it is locked, so that its libraries are loaded and configured,
/// and so that a system call which they need and which the filter refuses shows before a user's picture.
struct SandboxSamples {
    private let samples: [Data]

    init(_ profile: SandboxProfile) {
        let files = profile.nestedTypes.flatMap { $0.formats }.compactMap { format in
            SandboxSampleFiles.data(format).map { (format: format, data: $0) }
        }
        samples = profile == .svg ? [Self.drawing(files)] : files.map(\.data)
    }

    /// A drawing with a filter, text, and pictures of every format that the library of drawings may load.
    private static func drawing(_ files: [(format: ImageFormat, data: Data)]) -> Data {
        let pictures = files.map { file in
            let type = file.format.mediaType
            return "<image width='1' height='1' href='data:\(type);base64,\(file.data.base64EncodedString())'/>"
        }
        return Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><defs><filter id="f"><feGaussianBlur \
            stdDeviation="1"/></filter></defs><rect width="8" height="8" filter="url(#f)"/><text y="8">a</text>\
            \(pictures.joined())</svg>
            """.utf8)
    }

    /// Decodes each picture at full size and as a thumbnail, half of it, in pieces and by frames, reads its metadata, and
    /// decodes something that is no picture.
    func decode(_ types: [any SandboxableCoder.Type]) {
        var thumbnail = DecodingOptions()
        thumbnail.thumbnailPixelSize = PixelSize(width: 7, height: 7)
        for sample in samples {
            for data in [sample, sample.prefix(sample.count / 2)] {
                guard let type = types.last(where: { $0.shared.canDecode(from: data) }) else { continue }
                for options in [DecodingOptions(), thumbnail] { _ = try? type.shared.decode(data, options: options) }
                _ = try? type.shared.imageProperties(of: data, limits: .default)
                _ = try? type.openAnimation(data, DecodingOptions()).frame(at: 0)
                let stream = try? type.makeStream(DecodingOptions())
                try? stream?.append(data, finished: true)
                _ = stream?.incrementalImage(options: nil)
            }
        }
        for type in types { _ = try? type.shared.decode(Data("no picture".utf8), options: DecodingOptions()) }
    }
}
