extension OptionTable {
    static let sizes: [Row] = [
        Row("resize", "rs", takes: "type:width:height:enlarge:extend") { options, arguments throws(ServiceRefusal) in
            if let type = arguments.nextUnlessEmpty() { try readResizing(type, of: arguments, &options) }
            try readSize(&options, &arguments)
        },
        Row("size", "s", takes: "width:height:enlarge:extend") { options, arguments throws(ServiceRefusal) in
            try readSize(&options, &arguments)
        },
        Row("resizing_type", "rt", takes: "fit|fill|fill-down|force|auto") {
            options, arguments throws(ServiceRefusal) in
            try readResizing(try arguments.required("the type"), of: arguments, &options)
        },
        Row("width", "w", takes: "px") { options, arguments throws(ServiceRefusal) in
            options.width = try arguments.integer(try arguments.required("the width"), in: side, "the width")
        },
        Row("height", "h", takes: "px") { options, arguments throws(ServiceRefusal) in
            options.height = try arguments.integer(try arguments.required("the height"), in: side, "the height")
        },
        Row("min-width", "mw", takes: "px") { options, arguments throws(ServiceRefusal) in
            options.minWidth = try arguments.integer(try arguments.required("the width"), in: side, "the width")
        },
        Row("min-height", "mh", takes: "px") { options, arguments throws(ServiceRefusal) in
            options.minHeight = try arguments.integer(try arguments.required("the height"), in: side, "the height")
        },
        Row("zoom", "z", takes: "x:y") { options, arguments throws(ServiceRefusal) in
            options.zoomX = try arguments.number(try arguments.required("the factor"), in: factor, "the factor")
            options.zoomY = options.zoomX
            if let y = arguments.next() { options.zoomY = try arguments.number(y, in: factor, "the factor") }
        },
        Row("dpr", takes: "ratio") { options, arguments throws(ServiceRefusal) in
            options.dpr = try arguments.number(try arguments.required("the ratio"), in: factor, "the ratio")
        },
        Row("enlarge", "el", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.enlarge = arguments.boolean(try arguments.required("the flag"))
        },
        Row("extend", "ex", takes: "0|1:gravity:x:y") { options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the flag is missing") }
            try readExtension(&options.extend, &arguments)
        },
        Row("extend_aspect_ratio", "extend_ar", "exar", takes: "0|1:gravity:x:y") {
            options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the flag is missing") }
            try readExtension(&options.extendAspectRatio, &arguments)
        },
    ]

    static let factor = 1e-4...1e4

    static let places: [Row] = [
        Row("gravity", "g", takes: "no|so|ea|we|noea|nowe|soea|sowe|ce|sm|fp:x:y") {
            options, arguments throws(ServiceRefusal) in
            options.gravity = try arguments.gravity(allowing: Set(Gravity.Anchor.allCases))
        },
        Row("crop", "c", takes: "width:height:gravity:x:y") { options, arguments throws(ServiceRefusal) in
            var crop = ProcessingOptions.Crop()
            crop.width = try arguments.number(try arguments.required("the width"), in: 0...1e6, "the width")
            if let height = arguments.next() { crop.height = try arguments.number(height, in: 0...1e6, "the height") }
            if !arguments.isEmpty { crop.gravity = try arguments.gravity(allowing: Set(Gravity.Anchor.allCases)) }
            options.crop = crop
        },
        Row("trim", "t", takes: "threshold:colour:equal-left-right:equal-top-bottom") {
            options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the threshold is missing") }
            guard let threshold = arguments.nextUnlessEmpty() else {
                options.trim = nil
                while arguments.next() != nil {}
                return
            }
            var trim = ProcessingOptions.Trim(
                threshold: try arguments.number(threshold, in: 0...255, "the threshold"))
            if let color = arguments.nextUnlessEmpty() { trim.color = try arguments.color(color) }
            if let flag = arguments.nextUnlessEmpty() { trim.hasEqualHorizontal = arguments.boolean(flag) }
            if let flag = arguments.nextUnlessEmpty() { trim.hasEqualVertical = arguments.boolean(flag) }
            options.trim = trim
        },
        Row("padding", "pd", takes: "top:right:bottom:left") { options, arguments throws(ServiceRefusal) in
            guard (1...4).contains(arguments.count) else { throw arguments.refusal("one to four numbers are wanted") }
            // The defaults are as in CSS: the default of `right` and `bottom` is `top`, and the default of `left` is
            // `right`.
            if let top = arguments.nextUnlessEmpty() {
                let value = try arguments.integer(top, in: side, "the padding")
                options.padding = ProcessingOptions.Padding(top: value, right: value, bottom: value, left: value)
            }
            if let right = arguments.nextUnlessEmpty() {
                options.padding.right = try arguments.integer(right, in: side, "the padding")
                options.padding.left = options.padding.right
            }
            if let bottom = arguments.nextUnlessEmpty() {
                options.padding.bottom = try arguments.integer(bottom, in: side, "the padding")
            }
            if let left = arguments.nextUnlessEmpty() {
                options.padding.left = try arguments.integer(left, in: side, "the padding")
            }
        },
        Row("auto_rotate", "ar", takes: "0|1") { options, arguments throws(ServiceRefusal) in
            options.autoRotate = arguments.boolean(try arguments.required("the flag"))
        },
        Row("rotate", "rot", takes: "0|90|180|270") { options, arguments throws(ServiceRefusal) in
            let angle = try arguments.integer(
                try arguments.required("the angle"), in: -360_000...360_000, "the angle")
            guard angle % 90 == 0 else { throw arguments.refusal("the angle is not a multiple of 90") }
            options.quarterTurns = ((angle / 90) % 4 + 4) % 4
        },
        Row("flip", "fl", takes: "left-right:top-bottom") { options, arguments throws(ServiceRefusal) in
            guard !arguments.isEmpty else { throw arguments.refusal("the flag is missing") }
            if let flag = arguments.nextUnlessEmpty() { options.flipHorizontal = arguments.boolean(flag) }
            if let flag = arguments.nextUnlessEmpty() { options.flipVertical = arguments.boolean(flag) }
        },
    ]
}
