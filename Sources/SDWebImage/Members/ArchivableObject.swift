public import Foundation
public import WebImage

extension Image {
    /// An object that the caller attaches to the image. The disk cache stores the object with the image if it adopts
    /// `NSSecureCoding` and its class is neither generic nor private nor declared inside another type; Foundation cannot
    /// archive such objects on Linux. The program must not change the object afterwards.
    ///
    /// If the image is read from disk, the property is again an object of the same class, if this is a class of
    /// Foundation or a class in ``sd_extendedObjectClasses``. Other objects, and those that were set as
    /// ``WebImageCore/Image/extendedObject``, are read as `NSData`.
    public var sd_extendedObject: (any NSCoding & NSObjectProtocol)? {
        get { ArchivableObject.unwrapped(extendedObject) }
        set { extendedObject = newValue.map(ArchivableObject.init) }
    }

    /// The classes, besides those of Foundation, whose objects ``sd_extendedObject`` creates from the disk cache. Objects
    /// of other classes are read as `NSData`. A class that is generic, private or declared inside another type is not
    /// added, because Foundation cannot name it.
    public static var sd_extendedObjectClasses: [any (NSObject & NSSecureCoding).Type] {
        get { ArchivableObject.classes.withLock { $0 } }
        set { ArchivableObject.classes.withLock { $0 = newValue.filter(ArchivableObject.canName) } }
    }
}

/// An object as the disk cache stores it: an archive of `NSKeyedArchiver` inside JSON.
struct ArchivableObject: Codable, @unchecked Sendable {
    // Unchecked is correct because SDWebImage has the same contract: after the object is attached to an image, the
    // program must not change it.

    static let classes = Locked<[any (NSObject & NSSecureCoding).Type]>([])

    private static let systemClasses: [AnyClass] = [
        NSString.self, NSNumber.self, NSDate.self, NSURL.self, NSArray.self, NSDictionary.self, NSSet.self, NSData.self,
        NSNull.self, NSMutableString.self, NSMutableArray.self, NSMutableDictionary.self, NSMutableSet.self,
        NSMutableData.self, NSUUID.self,
    ]

    private enum CodingKeys: CodingKey { case archive }

    /// The object that the program has set.
    let object: any NSCoding & NSObjectProtocol

    init(_ object: any NSCoding & NSObjectProtocol) { self.object = object }

    init(from decoder: any Decoder) throws {
        let archive = try decoder.container(keyedBy: CodingKeys.self).decode(Data.self, forKey: .archive)
        let allowed = Self.systemClasses + Self.classes.withLock { $0.map { $0 as AnyClass } }
        guard Self.contains(archive, only: allowed) else { throw CocoaError(.coderReadCorrupt) }
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: archive)
        guard let object = object as? any NSCoding & NSObjectProtocol else { throw CocoaError(.coderReadCorrupt) }
        self.init(object)
    }

    func encode(to encoder: any Encoder) throws {
        guard Self.canArchive(object) else { throw CocoaError(.coderInvalidValue) }
        let archive = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(archive, forKey: .archive)
    }

    /// Whether Foundation can name the class in an archive.
    static func canName(_ type: any (NSObject & NSSecureCoding).Type) -> Bool {
        let name = String(reflecting: type)
        return name.split(separator: ".").count <= 2 && !name.contains { "(<".contains($0) }
    }

    /// Whether `NSKeyedArchiver` can write the object. On Linux it stops the program for a class that is generic, private
    /// or declared inside another type.
    private static func canArchive(_ object: Any, depth: Int = 0) -> Bool {
        guard depth < 32 else { return false }
        switch object {
        case let list as [Any]: return list.allSatisfy { canArchive($0, depth: depth + 1) }
        case let set as Set<AnyHashable>: return set.allSatisfy { canArchive($0.base, depth: depth + 1) }
        case let table as [AnyHashable: Any]:
            return table.allSatisfy {
                canArchive($0.key.base, depth: depth + 1) && canArchive($0.value, depth: depth + 1)
            }
        default:
            let name = String(reflecting: type(of: object))
            // Elements of Foundation's containers arrive as values of Swift.
            if name.hasPrefix("Swift.") || name.hasPrefix("Foundation") { return true }
            return (type(of: object) as? any (NSObject & NSSecureCoding).Type).map(canName) ?? false
        }
    }

    /// Whether all classes in an archive are allowed. On Linux `NSKeyedUnarchiver` stops the program for another class.
    private static func contains(_ archive: Data, only allowed: [AnyClass]) -> Bool {
        let list = try? PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any]
        guard let objects = list?["$objects"] as? [Any] else { return false }
        let names = Set(allowed.map(NSStringFromClass))
        return objects.allSatisfy { object in
            guard let table = object as? [String: Any], let name = table["$classname"] else { return true }
            return (name as? String).map(names.contains) ?? false
        }
    }

    /// The program's object for the value that an image holds.
    static func unwrapped(_ held: (any Sendable)?) -> (any NSCoding & NSObjectProtocol)? {
        switch held {
        case let own as ArchivableObject: own.object
        case let data as Data: (try? JSONDecoder().decode(ArchivableObject.self, from: data))?.object ?? data as NSData
        case let text as String: text as NSString
        case let date as Date: date as NSDate
        case let url as URL: url as NSURL
        default: held as? any NSCoding & NSObjectProtocol
        }
    }
}
