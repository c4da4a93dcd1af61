import Foundation
import PeerKit

/// All that a project stores.
///
/// It cannot be copied, so that nobody holds an old state while a new one is made: a change costs as much as it is large.
struct StorageState: ~Copyable, Sendable {
    /// One durable step.
    enum Change: Sendable {
        case setBucket(StoredBucket)
        case dropBucket(String)
        case setObject(StoredObject)
        /// The same with the content of another version.
        case copyObject(ofVersion: String, StoredObject)
        case dropObject(StoredObject.Row)
        /// Gives an object another name; its bytes and version stay.
        case moveObject(from: ObjectName, StoredObject)
    }

    private(set) var buckets: [String: StoredBucket] = [:]
    private var objects: [String: KeyMap<StoredObject>] = [:]
    /// Bytes of all objects.
    private(set) var byteCount = 0

    func object(_ name: ObjectName) -> StoredObject? { objects[name.bucket]?[name.key] }

    /// The objects of a bucket, in the order of their keys.
    func objects(in bucket: String) -> KeyMap<StoredObject> { objects[bucket] ?? KeyMap() }

    func isEmpty(_ bucket: String) -> Bool { objects[bucket]?.isEmpty ?? true }

    /// What has come due by then: buckets that were to be emptied.
    func due(at now: Date) -> [Change] {
        buckets.values.filter { $0.emptiesAt.map { $0 <= now } ?? false }
            .sorted { Self.precedes($0.id, $1.id) }
            .flatMap { bucket -> [Change] in
                var emptied = bucket
                emptied.emptiesAt = nil
                var changes: [Change] = []
                objects(in: bucket.id).forEach { element in
                    changes.append(.dropObject(element.value.row))
                    return true
                }
                return changes + [.setBucket(emptied)]
            }
    }

    /// Takes over changes, and returns the contents that no object has any more.
    mutating func apply(_ changes: ArraySlice<Change>) -> [StoredContent] {
        var released: [StoredContent] = []
        for change in changes {
            switch change {
            case .setBucket(let bucket): buckets[bucket.id] = bucket
            case .dropBucket(let id):
                buckets[id] = nil
                objects[id] = nil
            case .setObject(let object), .copyObject(_, let object):
                byteCount += object.row.size
                if let old = self.object(object.row.name) {
                    byteCount -= old.row.size
                    released.append(old.content)
                }
                objects[object.row.name.bucket, default: KeyMap()][object.row.name.key] = object
            case .dropObject(let row):
                if let old = object(row.name) {
                    byteCount -= old.row.size
                    released.append(old.content)
                }
                objects[row.name.bucket]?[row.name.key] = nil
            case .moveObject(let old, let object):
                objects[old.bucket]?[old.key] = nil
                objects[object.row.name.bucket, default: KeyMap()][object.row.name.key] = object
            }
        }
        return released
    }

    /// Order by bytes, which no locale changes.
    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}
