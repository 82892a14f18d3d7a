/// The identity of a role's implementation, such as a cache, coder or loader.
///
/// - Two objects are equal if they have the same address.
/// - Two values without stored properties are equal if they have the same type.
/// - Two other `Hashable` values are equal if `==` returns true.
/// - A value of any other kind is never equal to another value.
///
/// Comparing only the types is not sufficient, because two coders of one type can have different settings.
///
/// Comparing two identities runs no code of the roles, so the comparison is safe under a lock. Creating an identity
/// can run `==` and `hash(into:)` of a role.
package struct RoleIdentity: Hashable, @unchecked Sendable {
    // Unchecked is correct because the object is a role, and roles are Sendable. The object is only retained
    // and compared by address.
    private enum Kind: Hashable {
        case object(ObjectIdentifier)
        case empty(ObjectIdentifier)
        case number(UInt64)
    }

    private let kind: Kind
    /// Whether two identities of the same role are equal. False for a value that has stored properties and is
    /// not `Hashable`.
    let isComparable: Bool
    /// Retains the object, so that no other object can have its address.
    private let object: AnyObject?

    package init(_ role: any Sendable) {
        let type = Swift.type(of: role)
        if let object = Self.object(role) {
            self.object = object
            kind = .object(ObjectIdentifier(object))
            isComparable = true
            return
        }
        object = nil
        isComparable = Self.isEmpty(role) || role is any Hashable
        if Self.isEmpty(role) {
            kind = .empty(ObjectIdentifier(type))
        } else if let value = role as? any Hashable {
            kind = .number(Self.number(of: HashableRole(value)))
        } else {
            kind = .number(Self.newNumber())
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    package func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// The identity as text. Two different roles that exist at the same time have different texts.
    package var text: String {
        switch kind {
        case .object(let address): "object \(address)"
        case .empty(let type): "type \(type)"
        case .number(let number): "value \(number)"
        }
    }

    /// Returns the role if it is an object; nil if it is a value.
    ///
    /// `as AnyObject` is not used: it converts values to objects, and it takes 2,700 instructions even for an object. A
    /// load has 20 roles, so the additional cost would be 54,000 instructions per load.
    private static func object<Role>(_ role: Role) -> AnyObject? {
        Role.self is AnyClass ? unsafeBitCast(role, to: AnyObject.self) : nil
    }

    private static func isEmpty<Role>(_: Role) -> Bool { MemoryLayout<Role>.size == 0 }

    // MARK: Values

    private struct HashableRole: Hashable, @unchecked Sendable {
        // Unchecked is correct because only roles are stored, and roles are Sendable.
        let value: AnyHashable
        init(_ value: any Hashable) { self.value = AnyHashable(value) }
    }

    /// The table of the numbers that identify recent values. When the table is full, it is emptied. Each value then
    /// receives a new number when it is next used. Later loads therefore do not share the work of earlier loads, but
    /// their results are still correct.
    private struct Numbers: Sendable {
        var known: [HashableRole: UInt64] = [:]
        var revision = 0
    }

    private static let limit = 64
    private static let lastNumber = Locked<UInt64>(0)
    private static let numbers = Locked(Numbers())

    private static func newNumber() -> UInt64 {
        lastNumber.withLock { number in
            number += 1
            return number
        }
    }

    /// Returns the number of a value. Searches a copy of the table, because comparing values runs code of the
    /// roles, which must not run under the lock.
    private static func number(of role: HashableRole) -> UInt64 {
        while true {
            var copy = numbers.withLock { $0 }
            if let known = copy.known[role] { return known }
            if copy.known.count >= limit { copy.known = [:] }
            let number = newNumber()
            copy.known[role] = number
            copy.revision += 1
            let new = copy
            let (isSet, old) = numbers.withLock { numbers -> (Bool, Numbers) in
                guard numbers.revision == new.revision - 1 else { return (false, numbers) }
                defer { numbers = new }
                return (true, numbers)
            }
            // Release the old table outside the lock: its values can be the last owners of the caller's objects.
            withExtendedLifetime(old) {}
            if isSet { return number }
        }
    }
}

/// A list of roles, such as coders, with a number that changes whenever the list changes.
package struct RoleList<Role: Sendable>: Sendable {
    package var roles: [Role] { didSet { revision &+= 1 } }
    private(set) var revision = 0

    package init(_ roles: [Role]) { self.roles = roles }
}

extension Locked {
    /// Removes a role from a list. The roles are compared outside the lock, because creating a ``RoleIdentity`` can
    /// run code of the roles.
    ///
    /// If the role is a value that cannot be compared, the last element of the same type is removed.
    package func removeRole<Role>(
        _ list: WritableKeyPath<State, RoleList<Role>>, _ role: any Sendable, of value: (Role) -> any Sendable
    ) {
        let identity = RoleIdentity(role)
        while true {
            let seen = withLock { $0[keyPath: list] }
            var kept = seen.roles
            if identity.isComparable {
                kept.removeAll { RoleIdentity(value($0)) == identity }
            } else if let index = kept.lastIndex(where: { Swift.type(of: value($0)) == Swift.type(of: role) }) {
                kept.remove(at: index)
            }
            let isDone = withLock { state in
                guard state[keyPath: list].revision == seen.revision else { return false }
                state[keyPath: list].roles = kept
                return true
            }
            if isDone { return }
        }
    }
}
