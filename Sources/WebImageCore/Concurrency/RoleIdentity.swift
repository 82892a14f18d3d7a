/// What plays a role: an object is itself, a value is what it equals, and a value that cannot be compared is nothing else.
///
/// Never the type alone: two coders of one type may be configured differently. A value without contents is its type.
/// Comparing two identities runs no code of a role's, so that it may be done under a lock; making one may.
package struct RoleIdentity: Hashable, @unchecked Sendable {
    // Unchecked is true because the object is a role, and roles are Sendable; it is only kept and compared by its address.
    private enum Kind: Hashable {
        case object(ObjectIdentifier)
        case empty(ObjectIdentifier)
        case number(UInt64)
    }

    private let kind: Kind
    /// False for a value that is neither an object nor empty nor `Hashable`: it equals nothing, not even a copy of itself.
    let isComparable: Bool
    /// Holds the object, so that its address names nothing else.
    private let object: AnyObject?

    package init(_ role: any Sendable) {
        let type = Swift.type(of: role)
        if type is AnyClass {
            object = role as AnyObject
            kind = .object(ObjectIdentifier(role as AnyObject))
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

    /// The same as text, unequal for unequal roles as long as both live.
    package var text: String {
        switch kind {
        case .object(let address): "object \(address)"
        case .empty(let type): "type \(type)"
        case .number(let number): "value \(number)"
        }
    }

    private static func isEmpty<Role>(_: Role) -> Bool { MemoryLayout<Role>.size == 0 }

    // MARK: Values

    private struct HashableRole: Hashable, @unchecked Sendable {
        // Unchecked is true because only roles are put in, and roles are Sendable.
        let value: AnyHashable
        init(_ value: any Hashable) { self.value = AnyHashable(value) }
    }

    /// Numbers of the values seen last. A value that is forgotten gets another number, which only shares less.
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

    /// Looked up in a copy: comparing values runs their own code, which never happens under the lock.
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
            // Released outside the lock: a value may hold a caller's objects.
            withExtendedLifetime(old) {}
            if isSet { return number }
        }
    }
}

/// A list of roles and how often it was changed.
package struct RoleList<Role: Sendable>: Sendable {
    package var roles: [Role] { didSet { revision &+= 1 } }
    private(set) var revision = 0

    package init(_ roles: [Role]) { self.roles = roles }
}

extension Locked {
    /// Removes a role from a list; comparing runs the roles' code and happens outside the lock.
    ///
    /// A value that cannot be compared stands for the last one of its type.
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
