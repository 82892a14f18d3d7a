import Foundation

extension HEIFItems {
    /// Reads EXIF and XMP of the primary picture of a HEIF or AVIF file. Metadata of other pictures, such as of a gain map, and
    /// metadata above the limit for ancillary data are left out.
    package static func readMetadata(
        of bytes: UnsafeRawBufferPointer, limits: DecodingLimits, into properties: inout ImageProperties
    ) {
        guard let items = try? HEIFItems(bytes) else { return }
        for item in items.types.keys.sorted() where items.describesPrimary(item) {
            let types = items.types[item] ?? []
            guard types.contains("Exif") || types.contains("mime") else { continue }
            var budget = limits.maxAncillaryChunkBytes
            guard let data = try? items.data(of: item, budget: &budget).first else { continue }
            if types.contains("Exif"), properties.exifData == nil, let exif = tiffStructure(in: data) {
                ExifReader.read(exif, into: &properties)
            } else if types.contains("mime"), properties.xmp == nil, data.range(of: Data("<rdf:RDF".utf8)) != nil {
                properties.xmp = data
            }
        }
    }

    /// The reference `cdsc` names the described picture. Metadata without one belong to the file.
    private func describesPrimary(_ item: Int) -> Bool {
        guard let described = described[item] else { return true }
        return primary.isEmpty || primary.contains(where: described.contains)
    }

    /// The item begins with the place of the TIFF structure behind these four bytes (ISO/IEC 23008-12 annex A.2.1). Some writers
    /// count the signature `Exif`, which stands before the structure, and some do not.
    private static func tiffStructure(in item: Data) -> Data? {
        guard let place = item.withUnsafeBytes({ $0.bigEndian32(at: 0) }), item.count > 8 else { return nil }
        let content = item.dropFirst(4)
        return [place, 0].lazy.map { content.dropFirst($0) }.first {
            $0.starts(with: "II".utf8) || $0.starts(with: "MM".utf8) || $0.starts(with: "Exif".utf8)
        }
    }
}
