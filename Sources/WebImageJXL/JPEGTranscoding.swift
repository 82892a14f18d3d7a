import CWebImageJXL
public import Foundation
public import WebImageCore
public import WebImageGraphics

extension ImageJPEGXLCoder: JPEGTranscodingCoder {
    /// Returns a JPEG XL file from which ``originalJPEG(in:limits:)`` makes the same bytes again. It is about a fifth smaller
    /// than the JPEG, with the same picture and the same metadata.
    ///
    /// The result is converted back and compared with the JPEG.
    /// - Throws: `.badImageData` if the JPEG is damaged, or of a kind that JPEG XL cannot hold, such as CMYK and arithmetic
    ///   coding. `.limitExceeded` if it exceeds a limit.
    public func transcoded(jpeg data: Data, limits: DecodingLimits) throws(WebImageError) -> Data {
        try limits.checkEncodedBytes(data.count)
        let file = try JXLEncoder().transcoded(data)
        var enough = limits
        enough.maxEncodedBytes = max(file.count, data.count)
        guard try originalJPEG(in: file, limits: enough) == data else {
            throw .badData("libjxl", "the JPEG is of a kind that JPEG XL cannot hold bit for bit")
        }
        return file
    }

    /// Returns the bytes of the JPEG file from which a JPEG XL file was made. Nil if it was not made from a JPEG.
    ///
    /// - Throws: `.badImageData` if the file is damaged. `.limitExceeded` if the file or the JPEG exceeds a limit.
    public func originalJPEG(in data: Data, limits: DecodingLimits) throws(WebImageError) -> Data? {
        try limits.checkEncodedBytes(data.count)
        // Checks the size before the coefficients are read.
        let info = try imageInfo(of: data, limits: limits)
        guard info.frameCount == 1 else { return nil }
        let deadline = DecodeDeadline(limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try JXLDecoder(bytes, events: JXL_DEC_JPEG_RECONSTRUCTION, JXL_DEC_FULL_IMAGE)
            guard try decoder.next(deadline) == JXL_DEC_JPEG_RECONSTRUCTION else { return nil }
            return try decoder.jpeg(deadline, limits)
        }
    }
}

extension JXLEncoder {
    /// The time of transcoding a byte of a JPEG and checking the result.
    private static let secondsPerByte = 0.5e-6

    /// Returns a file that holds the coefficients of a JPEG file, and what is needed to write the JPEG again.
    fileprivate func transcoded(_ jpeg: Data) throws(WebImageError) -> Data {
        try WorkBudget.current?.admit("converting JPEG", seconds: Double(jpeg.count) * Self.secondsPerByte)
        try check(libjxl.JxlEncoderUseContainer(handle, 1))
        try check(libjxl.JxlEncoderStoreJPEGMetadata(handle, 1))
        guard let settings = libjxl.JxlEncoderFrameSettingsCreate(handle, nil) else { throw failure }
        let status = jpeg.withUnsafeBytes { bytes in
            libjxl.JxlEncoderAddJPEGFrame(settings, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard status == JXL_ENC_SUCCESS else {
            throw .badData("libjxl", "the JPEG is damaged, or of a kind that JPEG XL cannot hold")
        }
        libjxl.JxlEncoderCloseInput(handle)
        return try output()
    }
}

extension JXLDecoder {
    /// Returns the JPEG file. Call this method after the event `JXL_DEC_JPEG_RECONSTRUCTION`.
    fileprivate func jpeg(_ deadline: DecodeDeadline, _ limits: DecodingLimits) throws(WebImageError) -> Data {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var filled = 0
        while true {
            // libjxl keeps the address until the buffer is released, so that it must not move before.
            var status = JXL_DEC_ERROR
            var failure: WebImageError?
            let free = buffer.withUnsafeMutableBufferPointer { memory -> Int in
                guard let start = memory.baseAddress,
                    libjxl.JxlDecoderSetJPEGBuffer(handle, start + filled, memory.count - filled) == JXL_DEC_SUCCESS
                else { return -1 }
                do throws(WebImageError) { status = try next(deadline) } catch { failure = error }
                return libjxl.JxlDecoderReleaseJPEGBuffer(handle)
            }
            if let failure { throw failure }
            guard free >= 0 else { throw .badData("libjxl", "the JPEG cannot be restored") }
            filled = buffer.count - free
            switch status {
            case JXL_DEC_JPEG_NEED_MORE_OUTPUT:
                try limits.checkEncodedBytes(filled)
                buffer.append(contentsOf: repeatElement(0, count: buffer.count))
            case JXL_DEC_FULL_IMAGE, JXL_DEC_SUCCESS:
                try limits.checkEncodedBytes(filled)
                return Data(buffer.prefix(filled))
            default: throw .badData("libjxl", "the JPEG cannot be restored")
            }
        }
    }
}
