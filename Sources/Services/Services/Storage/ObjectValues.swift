/// The name of an object inside its bucket.
public struct ObjectKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Segments joined by `/`.
    public var path: String

    /// Makes a value of its parts.
    public init(_ path: String) { self.path = path }

    /// All of it, for people.
    public var description: String { path }
}

/// What a store knows of an object.
public struct ObjectInfo: Sendable, Hashable {
    /// Bytes.
    public var size: Int
    /// A media type.
    public var contentType: String
    /// The store's identity of these bytes, often an MD5 in hexadecimal; compare only for equality.
    public var entityTag: String
    /// What ``PutOptions/metadata`` said, where the store keeps it; names in lower case.
    public var metadata: [String: String]

    /// Makes a value of its parts.
    public init(size: Int, contentType: String, entityTag: String, metadata: [String: String] = [:]) {
        self.size = size
        self.contentType = contentType
        self.entityTag = entityTag
        self.metadata = metadata
    }
}

/// An object of a list.
public struct ListedObject: Sendable, Hashable {
    /// Its name.
    public var key: ObjectKey
    /// Bytes.
    public var size: Int
    /// As ``ObjectInfo/entityTag``.
    public var entityTag: String

    /// Makes a value of its parts.
    public init(key: ObjectKey, size: Int, entityTag: String) {
        (self.key, self.size, self.entityTag) = (key, size, entityTag)
    }
}

/// Some objects of a list, and where it goes on.
public struct ObjectPage: Sendable, Hashable {
    /// The objects, in the order of the bytes of their keys.
    public var objects: [ListedObject]
    /// What the next page is asked for with; `nil` behind the last one.
    public var next: String?

    /// Makes a value of its parts.
    public init(objects: [ListedObject], next: String?) { (self.objects, self.next) = (objects, next) }
}
