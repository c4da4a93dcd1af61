import Foundation

/// All that a project stores.
struct StorageState: Sendable {
    /// One durable step.
    enum Change: Sendable {
        case setBucket(StoredBucket)
        case dropBucket(String)
        case setObject(StoredObject)
        case dropObject(StoredObject.Row)
        /// Gives an object another name; its bytes and version stay.
        case moveObject(from: ObjectName, StoredObject)
    }

    private(set) var buckets: [String: StoredBucket] = [:]
    private var objects: [String: [String: StoredObject]] = [:]

    func object(_ name: ObjectName) -> StoredObject? { objects[name.bucket]?[name.key] }

    /// The objects of a bucket, in the order of their keys' bytes.
    func objects(in bucket: String) -> [StoredObject] {
        (objects[bucket] ?? [:]).values.sorted { Self.precedes($0.row.name.key, $1.row.name.key) }
    }

    func isEmpty(_ bucket: String) -> Bool { objects[bucket]?.isEmpty ?? true }

    /// What has come due by then: buckets that were to be emptied.
    func due(at now: Date) -> [Change] {
        buckets.values.filter { $0.emptiesAt.map { $0 <= now } ?? false }
            .sorted { Self.precedes($0.id, $1.id) }
            .flatMap { bucket -> [Change] in
                var emptied = bucket
                emptied.emptiesAt = nil
                return objects(in: bucket.id).map { .dropObject($0.row) } + [.setBucket(emptied)]
            }
    }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .setBucket(let bucket): buckets[bucket.id] = bucket
            case .dropBucket(let id):
                buckets[id] = nil
                objects[id] = nil
            case .setObject(let object):
                objects[object.row.name.bucket, default: [:]][object.row.name.key] = object
            case .dropObject(let row): objects[row.name.bucket]?[row.name.key] = nil
            case .moveObject(let old, let object):
                objects[old.bucket]?[old.key] = nil
                objects[object.row.name.bucket, default: [:]][object.row.name.key] = object
            }
        }
    }

    /// Order by bytes, which no locale changes.
    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}
