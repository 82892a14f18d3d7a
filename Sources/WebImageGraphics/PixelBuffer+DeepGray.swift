package import WebImageCore

extension PixelBuffer {
    /// The values of a picture of 16 bits whose channels are equal in each pixel; nil if they differ, or if the pixels have
    /// another format. Alpha is not compared.
    ///
    /// There is no pixel format for grey of 16 bits, so that grey pictures of this depth are decoded to `rgba16`. A row of the
    /// result has two bytes of the machine's order for each pixel, in the format `gray8` of twice the width.
    package func deepGray() throws(WebImageError) -> PixelBuffer? {
        guard format == .rgba16 else { return nil }
        let result = try PixelBuffer(width: width * 2, height: height, format: .gray8)
        for row in 0..<height {
            if row % 64 == 0 { try WorkBudget.checkCurrent() }
            let source = (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt16.self)
            let target = (result.baseAddress + row * result.bytesPerRow).assumingMemoryBound(to: UInt16.self)
            var different: UInt16 = 0
            for pixel in 0..<width {
                let gray = source[pixel * 4]
                different |= (gray ^ source[pixel * 4 + 1]) | (gray ^ source[pixel * 4 + 2])
                target[pixel] = gray
            }
            guard different == 0 else { return nil }
        }
        return result
    }
}

extension Image {
    /// The values to write in a grey file of 16 bits. Nil if the picture has colours, alpha, or a profile for other pixels
    /// than grey ones. A grey profile is expanded when a picture is decoded to `rgba16`, so that only grey without a profile
    /// stays grey.
    package func deepGrayToEncode(_ pixels: PixelBuffer) throws(WebImageError) -> PixelBuffer? {
        guard !hasAlpha, colorProfile.map({ $0.deviceSpace == "GRAY" }) ?? true else { return nil }
        return try pixels.deepGray()
    }
}
