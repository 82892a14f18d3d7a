import Foundation

extension OptionTable {
    static let effects: [Row] = [
        Row("background", "bg", takes: "RRGGBB or red:green:blue") { options, arguments throws(ServiceRefusal) in
            let first = try arguments.required("the colour")
            if arguments.isEmpty {
                options.background = first.isEmpty ? nil : .color(try arguments.color(first))
                return
            }
            let green = try arguments.required("green"), blue = try arguments.required("blue")
            options.background = .color(
                PlainColor(
                    red: UInt8(try arguments.integer(first, in: 0...255, "red")),
                    green: UInt8(try arguments.integer(green, in: 0...255, "green")),
                    blue: UInt8(try arguments.integer(blue, in: 0...255, "blue"))))
        },
        Row("blur", "bl", takes: "sigma") { options, arguments throws(ServiceRefusal) in
            options.blur = try arguments.number(try arguments.required("sigma"), in: 0...1000, "sigma")
        },
        Row("sharpen", "sh", takes: "sigma") { options, arguments throws(ServiceRefusal) in
            options.sharpen = try arguments.number(try arguments.required("sigma"), in: 0...1000, "sigma")
        },
        Row("pixelate", "pix", takes: "px") { options, arguments throws(ServiceRefusal) in
            options.pixelate = try arguments.integer(try arguments.required("the side"), in: side, "the side")
        },
        Row("watermark", "wm", takes: "opacity:position:x:y:scale") { options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the opacity is missing") }
            var mark = options.watermark ?? ProcessingOptions.Watermark(opacity: 1)
            if let opacity = arguments.nextUnlessEmpty() {
                mark.opacity = try arguments.number(opacity, in: 0...1, "the opacity")
            }
            if let position = arguments.nextUnlessEmpty() {
                mark.isTiled = position == "re"
                let anchor = mark.isTiled ? .center : Gravity.Anchor(rawValue: String(position))
                guard let anchor, plainAnchors.contains(anchor) else {
                    throw arguments.refusal("\(Printable(position)) is not a position that is supported here")
                }
                mark.gravity.anchor = anchor
            }
            if let x = arguments.nextUnlessEmpty() {
                mark.gravity.x = try arguments.number(x, in: -1e6...1e6, "the offset")
            }
            if let y = arguments.nextUnlessEmpty() {
                mark.gravity.y = try arguments.number(y, in: -1e6...1e6, "the offset")
            }
            if let scale = arguments.nextUnlessEmpty() {
                mark.scale = try arguments.number(scale, in: 0...100, "the scale")
            }
            options.watermark = mark.opacity > 0 ? mark : nil
        },
    ]

    static let files: [Row] = [
        Row("strip_metadata", "sm", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.stripMetadata = arguments.boolean(try arguments.required("the flag"))
        },
        Row("keep_copyright", "kcr", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.keepCopyright = arguments.boolean(try arguments.required("the flag"))
        },
        Row("strip_color_profile", "scp", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.stripColorProfile = arguments.boolean(try arguments.required("the flag"))
        },
        Row("preserve_hdr", "ph", "hdr", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.preserveHDR = arguments.boolean(try arguments.required("the flag"))
        },
        Row("video_thumbnail_second", "vts", takes: "seconds") { options, arguments throws(ServiceRefusal) in
            options.videoSecond = try arguments.number(
                try arguments.required("the time"), in: 0...1e9, "the time in seconds")
        },
        Row("page", "pg", takes: "number from 0") { options, arguments throws(ServiceRefusal) in
            options.page = try arguments.integer(try arguments.required("the page"), in: 0...1_000_000, "the page")
        },
        // The following option is not supported. A false flag is accepted, because it requests the normal behaviour. A
        // true flag is refused, so that the client receives an error.
        Row("enforce_thumbnail", "eth") { _, arguments throws(ServiceRefusal) in
            try refuse(
                &arguments,
                "not supported: results are made from the picture, never from its embedded thumbnail; omit the option "
                    + "or set it to 0")
        },
        Row("quality", "q", takes: "0-100") { options, arguments throws(ServiceRefusal) in
            options.quality = try arguments.integer(try arguments.required("the quality"), in: 0...100, "the quality")
        },
        Row("format_quality", "fq", takes: "format:quality:…") { options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the format is missing") }
            while let name = arguments.next() {
                let format = try arguments.format(name)
                options.formatQuality[format] = try arguments.integer(
                    try arguments.required("the quality"), in: 0...100, "the quality")
            }
        },
        // imgproxy's other methods are not here: they need a size or a model.
        Row("autoquality", "aq", takes: "ssim2:score:min:max") { options, arguments throws(ServiceRefusal) in
            let method = try arguments.required("the method")
            guard method != "none" else {
                options.aim = nil
                return
            }
            guard method == "ssim2" else {
                throw arguments.refusal(
                    "\(Printable(method)) is not a method; use ssim2 with a score, such as ssim2:80, or none")
            }
            let score = try arguments.integer(try arguments.required("the score"), in: 1...99, "the score")
            var aim = ProcessingOptions.Aim(score: score)
            if let least = arguments.nextUnlessEmpty() {
                aim.minQuality = try arguments.integer(least, in: 1...100, "the least quality")
            }
            if let most = arguments.nextUnlessEmpty() {
                aim.maxQuality = try arguments.integer(most, in: aim.minQuality...100, "the greatest quality")
            }
            options.aim = aim
        },
        Row("max_bytes", "mb", takes: "bytes") { options, arguments throws(ServiceRefusal) in
            options.maxBytes = try arguments.integer(
                try arguments.required("the number of bytes"), in: 0...(1 << 40), "the number of bytes")
        },
        Row("format", "f", "ext", takes: "format") { options, arguments throws(ServiceRefusal) in
            options.format = try arguments.format(try arguments.required("the format"))
        },
        Row("skip_processing", "skp", takes: "format:…") { options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the format is missing") }
            while let name = arguments.next() { options.skippedFormats.insert(try arguments.format(name)) }
        },
        Row("raw", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.raw = arguments.boolean(try arguments.required("the flag"))
        },
        Row("cachebuster", "cb", takes: "text") { options, arguments throws(ServiceRefusal) in
            options.cacheBuster = String(try arguments.required("the text"))
        },
        Row("cache-tag", "cache_tag", "ct", takes: "tag:…") { options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the tag is missing") }
            while let text = arguments.next() {
                let tag = text.removingPercentEncoding ?? String(text)
                guard CacheTags.isTag(tag), options.tags.count < CacheTags.most else {
                    throw arguments.refusal("a target has at most \(CacheTags.most) tags of visible characters")
                }
                if !options.tags.contains(tag) { options.tags.append(tag) }
            }
        },
        Row("expires", "exp", takes: "seconds since 1970") { options, arguments throws(ServiceRefusal) in
            let time = try arguments.integer(
                try arguments.required("the time"), in: 0...(1 << 48), "the time in seconds since 1970")
            // 0 means that the target never expires.
            options.expires = time == 0 ? nil : time
        },
        Row("filename", "fn", takes: "name:is-base64") { options, arguments throws(ServiceRefusal) in
            let name = try arguments.required("the name")
            guard let flag = arguments.nextUnlessEmpty(), arguments.boolean(flag) else {
                // A name in a target is percent-encoded like the rest of the target.
                options.filename = name.isEmpty ? nil : name.removingPercentEncoding ?? String(name)
                return
            }
            guard let bytes = Base64URL.decode(name), let text = String(validating: bytes, as: UTF8.self) else {
                throw arguments.refusal("the name is not base64 of UTF-8")
            }
            options.filename = text.isEmpty ? nil : text
        },
        Row("return_attachment", "att", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.isAttachment = arguments.boolean(try arguments.required("the flag"))
        },
    ]

    static let limits: [Row] = [
        Row("max_src_resolution", "msr", takes: "megapixels") { options, arguments throws(ServiceRefusal) in
            options.limits.maxSourcePixels = try pixels(&arguments)
        },
        Row("max_animation_frame_resolution", "mafr", takes: "megapixels") {
            options, arguments throws(ServiceRefusal) in
            options.limits.maxFramePixels = try pixels(&arguments)
        },
        Row("max_src_file_size", "msfs", takes: "bytes") { options, arguments throws(ServiceRefusal) in
            options.limits.maxSourceBytes = try arguments.integer(
                try arguments.required("the number of bytes"), in: 1...(1 << 40), "the number of bytes")
        },
        Row("max_animation_frames", "maf", takes: "frames") { options, arguments throws(ServiceRefusal) in
            options.limits.maxFrames = try arguments.integer(
                try arguments.required("the number of frames"), in: 1...1_000_000, "the number of frames")
        },
        Row("max_result_dimension", "mrd", takes: "px") { options, arguments throws(ServiceRefusal) in
            options.limits.maxResultDimension = try arguments.integer(
                try arguments.required("the side"), in: 1...side.upperBound, "the side")
        },
    ]

    /// Reads a flag and refuses it if it is true.
    private static func refuse(_ arguments: inout OptionArguments, _ problem: String) throws(ServiceRefusal) {
        if arguments.boolean(try arguments.required("the flag")) { throw arguments.refusal(problem) }
    }

    /// Reads megapixels and returns pixels.
    private static func pixels(_ arguments: inout OptionArguments) throws(ServiceRefusal) -> Int {
        let value = try arguments.number(try arguments.required("megapixels"), in: 1e-6...1e6, "megapixels")
        return Int((value * 1e6).rounded())
    }
}
