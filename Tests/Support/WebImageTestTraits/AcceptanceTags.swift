package import Testing

/// The codes of `Documentation/AcceptanceList.md`. A test has the tag of each row that it covers.
extension Tag {
    // Views and rows
    @Tag package static var v1: Self
    @Tag package static var v2: Self
    @Tag package static var v3: Self
    @Tag package static var v4: Self
    @Tag package static var v5: Self
    @Tag package static var v6: Self
    @Tag package static var v7: Self
    @Tag package static var v8: Self
    @Tag package static var v9: Self
    @Tag package static var v10: Self
    @Tag package static var v11: Self
    @Tag package static var v12: Self
    @Tag package static var v13: Self
    @Tag package static var v14: Self

    // Memory and large images
    @Tag package static var m1: Self
    @Tag package static var m2: Self
    @Tag package static var m3: Self
    @Tag package static var m4: Self
    @Tag package static var m5: Self

    // Refresh
    @Tag package static var r1: Self
    @Tag package static var r2: Self

    // Extension points
    @Tag package static var x1: Self
    @Tag package static var x2: Self
    @Tag package static var x3: Self
    @Tag package static var x4: Self
    @Tag package static var x5: Self
    @Tag package static var x6: Self
    @Tag package static var x7: Self
    @Tag package static var x8: Self
    @Tag package static var x9: Self
    @Tag package static var x10: Self
    @Tag package static var x11: Self
    @Tag package static var x12: Self

    // The manager
    @Tag package static var l1: Self
    @Tag package static var l2: Self
    @Tag package static var l3: Self
    @Tag package static var l4: Self
    @Tag package static var l5: Self
    @Tag package static var l6: Self
    @Tag package static var l7: Self
    @Tag package static var l8: Self
    @Tag package static var l9: Self
    @Tag package static var l10: Self
}
