import CWebImageJPEG2000
import Foundation
import WebImageCore
import WebImageGraphics

/// The decoded channels of a picture: planes of 32-bit samples, which become pixels.
struct JPEG2000Planes {
    private let image: opj_image_t
    private let header: JPEG2000Header
    /// The size of the decoded area in samples of the level.
    private let size: PixelSize
    /// The resolution level that was decoded. Each level halves the sides.
    private let level: Int
    /// The decoded part of the picture on the reference grid.
    private let area: JPEG2000Decoder.Area

    init(
        _ image: UnsafePointer<opj_image_t>, _ header: JPEG2000Header, level: Int, area: JPEG2000Decoder.Area
    ) {
        (self.image, self.header, self.level, self.area) = (image.pointee, header, level, area)
        size = area.size(step: 1 << level)
    }

    /// Returns the channel of the decoded picture that is alpha.
    ///
    /// OpenJPEG moves the colours to the front by the file's definition of channels. If alpha was defined before a colour,
    /// it loses the mark of alpha (OpenJPEG 2.5.0) and is the last channel.
    private func alphaChannel(_ channels: UnsafePointer<opj_image_comp_t>, _ count: Int) -> Int? {
        guard let channel = header.alphaChannel, channel < count else { return nil }
        guard header.definesChannels else { return channel }
        return (0..<count).first { [1, 2].contains(channels[$0].alpha) } ?? count - 1
    }

    /// Returns the pixels of the level and the area, with straight alpha. Luminance with differences of colour becomes RGB, and
    /// so do inks.
    ///
    /// - Throws: `.badImageData` if a channel has no samples or a wrong size; `.unsupportedFormat` for another number of colours
    ///   than 1, 3, or 4 inks.
    func picture(_ options: DecodingOptions) throws(WebImageError) -> DecodedPicture {
        let count = Int(image.numcomps)
        guard 1...4 ~= count, let channels = image.comps else { throw JPEG2000Header.unreadable("there is no channel") }
        let alpha = alphaChannel(channels, count)
        let colors = (0..<count).filter { $0 != alpha && channels[$0].alpha == 0 }
        let isInk = header.colorSpace == .ink && colors.count == 4
        guard isInk || colors.count == 1 || colors.count == 3 else {
            throw .unsupportedJPEG2000("\(colors.count) colours")
        }
        let isPremultiplied = alpha != nil && header.isPremultiplied
        let profile = profile(colorCount: colors.count)
        let bits = colors.map { Int(channels[$0].prec) }.max() ?? 8
        let wantsDeep =
            options.decodesToHDR || options.pixelFormat.bitsPerComponent > 8
            || options.colorConversion == .sRGB && profile?.needsDepth == true
        let isDeep = bits > 8 && wantsDeep
        let isGray = colors.count == 1 && alpha == nil && !isDeep
        let pixels = try PixelBuffer(
            width: size.width, height: size.height, format: isGray ? .gray8 : isDeep ? .rgba16 : .rgba8)
        if isGray {
            try write(channels[colors[0]], to: pixels, channels: 0..<1)
        } else {
            for (index, color) in colors.enumerated() {
                try write(channels[color], to: pixels, channels: colors.count == 1 ? 0..<3 : index..<index + 1)
            }
            if let alpha {
                try write(channels[alpha], to: pixels, channels: 3..<4)
            } else if !isInk {
                pixels.fillChannel(3)
            }
        }
        if colors.count == 3, isLuminance(channels[colors[1]]) {
            let chroma = channels[colors[1]]
            let middle = chroma.prec > 1 ? Double(1 << (chroma.prec - 1)) / Double(UInt64(1) << chroma.prec - 1) : 0.5
            pixels.convertFromYCC(middle: middle)
        }
        if isPremultiplied { pixels.unpremultiplyInPlace() }
        var picture = DecodedPicture(
            pixels: pixels, orientation: .up, profile: isInk ? nil : profile, hasAlpha: alpha != nil, format: .jpeg2000)
        if isInk {
            picture.pixels = try pixels.convertedFromCMYK(
                isInverted: false, profile: options.colorConversion == .sRGB ? profile : nil)
        }
        return picture
    }

    /// Whether the channels are luminance and differences of colour. A codestream cannot say so; its smaller second channel
    /// does.
    private func isLuminance(_ second: opj_image_comp_t) -> Bool {
        header.colorSpace == .sYCC || header.colorSpace == .unnamed && header.profileBytes == nil && second.dx > 1
    }

    /// The file's profile if it is for the picture's colours. A profile for other colours is an error in the file and is
    /// ignored.
    private func profile(colorCount: Int) -> ColorProfile? {
        guard header.profileBytes != nil, let start = image.icc_profile_buf, image.icc_profile_len > 128 else {
            return nil
        }
        let data = Data(bytes: start, count: Int(image.icc_profile_len))
        let space = colorCount == 1 ? "GRAY" : colorCount == 4 ? "CMYK" : "RGB "
        guard data.dropFirst(16).prefix(4).elementsEqual(space.utf8) else { return nil }
        return ColorProfile(iccData: data)
    }

    /// Writes a plane of samples to channels of the pixels. A plane with fewer samples, such as subsampled chroma, is enlarged
    /// first.
    ///
    /// Sample n of the plane has the same centre as sample n · d of the picture, where d is the distance of the plane's samples
    /// (`dx` and `dy`). The first sample of the area need not be a multiple of d. Therefore the part of the plane that covers the
    /// picture begins at a fraction of a sample; without it, colours would be moved against the luminance.
    private func write(
        _ channel: opj_image_comp_t, to pixels: PixelBuffer, channels: Range<Int>
    ) throws(WebImageError) {
        let plane = PixelSize(width: Int(channel.w), height: Int(channel.h))
        guard let data = channel.data, 1...31 ~= channel.prec, channel.dx > 0, channel.dy > 0 else {
            throw JPEG2000Header.unreadable("a channel has no samples")
        }
        let samples = SamplePlane(
            data: data, stride: plane.width, size: plane, bits: Int(channel.prec), isSigned: channel.sgnd != 0)
        if plane == size {
            for index in channels { pixels.write(samples, toChannel: index) }
            return
        }
        let step = 1 << level
        let expected = PixelSize(
            width: JPEG2000Decoder.Area.samples(from: area.left, to: area.right, step: step * Int(channel.dx)),
            height: JPEG2000Decoder.Area.samples(from: area.top, to: area.bottom, step: step * Int(channel.dy)))
        // The part below is computed from the expected size, so a plane of another size would be misplaced. A difference of
        // one sample is accepted.
        guard plane.width > 0, plane.height > 0, abs(plane.width - expected.width) <= 1,
            abs(plane.height - expected.height) <= 1, plane.width <= size.width, plane.height <= size.height
        else { throw JPEG2000Header.unreadable("a channel has a wrong size") }
        /// Returns the part of a side of the plane that covers the picture, in samples from the edge of the plane.
        ///
        /// - Parameters:
        ///   - first: The edge of the area on the reference grid.
        ///   - length: The side of the picture in samples of the level.
        ///   - distance: The distance of the plane's samples.
        func part(from first: Int, length: Int, distance: UInt32) -> (start: Double, length: Double) {
            // The numbers of the first sample of the picture and of the plane. An edge is half a sample before a centre.
            let (distance, pictureStart) = (Int(distance), (first + step - 1) / step)
            let planeStart = ((first + distance - 1) / distance + step - 1) / step
            return (
                (Double(pictureStart) - 0.5) / Double(distance) + 0.5 - Double(planeStart),
                Double(length) / Double(distance)
            )
        }
        let (left, width) = part(from: area.left, length: size.width, distance: channel.dx)
        let (top, height) = part(from: area.top, length: size.height, distance: channel.dy)
        let small = try PixelBuffer(width: plane.width, height: plane.height, format: .gray8)
        small.write(samples, toChannel: 0)
        let large = try small.scaled(
            to: size, from: PixelRegion(left: left, top: top, width: width, height: height))
        for index in channels { pixels.write(grayOf: large, toChannel: index) }
    }
}
