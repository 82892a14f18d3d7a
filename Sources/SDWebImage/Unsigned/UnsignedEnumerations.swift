public import WebImage

// SDWebImage's enumerations have unsigned numbers.

extension CallbackQueue.Policy {
    /// The number of the policy.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a policy from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}

extension ImageForceDecodePolicy {
    /// The number of the policy.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a policy from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}

extension ImageCacheConfig.ExpireType {
    /// The number of the type.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a type from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}

extension ImageCachesManagerOperationPolicy {
    /// The number of the policy.
    public var rawValue: UInt { UInt(ownNumber) }
    /// Makes a policy from its number. Nil for an unknown number.
    public init?(rawValue: UInt) { self.init(ownNumber: Int(clamping: rawValue)) }
}
