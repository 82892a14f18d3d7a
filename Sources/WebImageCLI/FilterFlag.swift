import WebImage

extension TransformFlags {
    /// Creates the transformer for the value of `--filter`. The value has the form `NAME` or `NAME=PARAMETERS`.
    static func filter(_ value: String) throws(UsageError) -> any ImageTransformer {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let parameters = parts.count == 2 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : []
        guard let kind = kinds[String(parts[0])] else {
            throw UsageError("--filter supports \(kinds.keys.sorted().joined(separator: ", ")), not '\(parts[0])'")
        }
        guard let filter = kind.make(parameters) else { throw wants("filter", kind.form, value) }
        return ImageFilterTransformer(filter: filter)
    }

    /// A kind of filter. `form` describes its syntax. `make` creates a filter from the parameters, and returns nil if
    /// the parameters are invalid.
    private struct Kind: Sendable {
        let form: String
        let make: @Sendable ([Substring]) -> (any ImageFilter)?
    }

    private static let kinds: [String: Kind] = [
        "invert": Kind(form: "invert without parameters") { $0.isEmpty ? ColorFilter.invert : nil },
        "sepia": Kind(form: "sepia or sepia=AMOUNT") { one($0, 1).map { ColorFilter.sepia(intensity: $0) } },
        "exposure": Kind(form: "exposure=STOPS") { one($0).map { ColorFilter.exposure(stops: $0) } },
        "contrast": Kind(form: "contrast=AMOUNT") { one($0).map { ColorFilter.contrast($0) } },
        "saturation": Kind(form: "saturation=AMOUNT") { one($0).map { ColorFilter.saturation($0) } },
        "monochrome": Kind(form: "monochrome=#rrggbb") { parameters in
            guard parameters.count == 1, let color = color(parameters[0]) else { return nil }
            return ColorFilter.monochrome(color)
        },
        "matrix": Kind(form: "matrix= nine factors, and three offsets if wanted") { parameters in
            guard let numbers = numbers(parameters), [9, 12].contains(numbers.count) else { return nil }
            return ColorFilter.matrix(
                Array(numbers.prefix(9)), offset: numbers.count == 12 ? Array(numbers.suffix(3)) : [0, 0, 0])
        },
        "vignette": Kind(form: "vignette or vignette=AMOUNT") {
            one($0, 0.5).map { NeighbourFilter.vignette(intensity: $0) }
        },
        "sharpen": Kind(form: "sharpen or sharpen=AMOUNT") { one($0, 0.4).map { NeighbourFilter.sharpen($0) } },
        "pixellate": Kind(form: "pixellate or pixellate=SIDE, more than 0") {
            one($0, 8).flatMap { $0 > 0 ? NeighbourFilter.pixellate(points: $0) : nil }
        },
        "convolution": Kind(form: "convolution= as many numbers as a square of odd side up to 31 has") {
            numbers($0).flatMap { NeighbourFilter.convolution($0) }
        },
    ]

    /// Returns the only parameter as a number. Returns `standard` if the parameter is missing, and nil if there are
    /// several parameters or the parameter is not a number.
    private static func one(_ parameters: [Substring], _ standard: Double? = nil) -> Double? {
        guard let numbers = numbers(parameters), numbers.count <= 1 else { return nil }
        return numbers.first ?? standard
    }

    private static func numbers(_ parameters: [Substring]) -> [Double]? {
        let numbers = parameters.map(number)
        return numbers.contains(nil) ? nil : numbers.compactMap { $0 }
    }
}
