/// Which object, or for values which type, plays a role; holds the object, so that its address names nobody else.
package struct RoleIdentity: Hashable, @unchecked Sendable {
    // Unchecked is true because the object is never used, only kept and compared by its address.
    private let object: AnyObject?
    private let type: ObjectIdentifier

    package init(_ role: any Sendable) {
        let dynamicType = Swift.type(of: role)
        type = ObjectIdentifier(dynamicType)
        object = dynamicType is AnyClass ? role as AnyObject : nil
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.type == right.type && left.object === right.object
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        if let object { hasher.combine(ObjectIdentifier(object)) }
    }

    /// The same as text, unequal for unequal roles as long as both live.
    package var text: String { "\(type)/\(object.map { "\(ObjectIdentifier($0))" } ?? "value")" }
}
