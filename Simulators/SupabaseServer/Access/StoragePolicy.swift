/// One grant of row-level security: what a role may do with the objects of a bucket, or with buckets.
///
/// Without a grant a role may do nothing, except that everybody may read the objects of a public bucket by
/// their path.
public struct StoragePolicy: Sendable, Hashable {
    /// The table whose rows are meant.
    public enum Table: Sendable, Hashable {
        /// `storage.objects`, all of them or those of one bucket.
        case objects(bucket: String?)
        /// `storage.buckets`.
        case buckets
    }

    /// What may be done with rows.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        case select, insert, update, delete
    }

    /// Who may.
    public var role: StorageRole
    /// The rows that are meant.
    public var table: Table
    /// What may be done with them.
    public var verbs: Set<Verb>

    /// Makes a grant.
    public init(_ role: StorageRole, may verbs: Set<Verb>, on table: Table) {
        self.role = role
        self.table = table
        self.verbs = verbs
    }
}

extension [StoragePolicy] {
    /// Whether a role may do all of that to the objects of a bucket.
    func allow(_ role: StorageRole, _ verbs: Set<StoragePolicy.Verb>, inBucket bucket: String) -> Bool {
        if role == .service { return true }
        return verbs.allSatisfy { verb in
            contains { policy in
                guard policy.role == role, policy.verbs.contains(verb) else { return false }
                return policy.table == .objects(bucket: nil) || policy.table == .objects(bucket: bucket)
            }
        }
    }

    /// Whether a role may do that to buckets.
    func allowBuckets(_ role: StorageRole, _ verb: StoragePolicy.Verb) -> Bool {
        if role == .service { return true }
        return contains { $0.role == role && $0.table == .buckets && $0.verbs.contains(verb) }
    }
}
