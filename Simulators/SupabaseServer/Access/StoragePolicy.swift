/// One grant of row-level security: what a role may do with the objects of a bucket, or with buckets.
///
/// A grant may be for some rows alone: those that the user owns, or those in the user's folder. Without a grant a role may do nothing, except that everybody may read the objects of a public bucket by
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

    /// Which rows of a table are meant.
    public enum Rows: Sendable, Hashable {
        /// All of them.
        case all
        /// Those that the user has stored: `owner_id = auth.uid()`.
        case own
        /// Those in a folder that is named for the user: `(storage.foldername(name))[1] = auth.uid()`.
        case folder
    }

    /// Who may.
    public var role: StorageRole
    /// The rows that are meant.
    public var table: Table
    /// What may be done with them.
    public var verbs: Set<Verb>
    /// Which of the rows are meant; buckets are meant whole.
    public var rows: Rows

    /// Makes a grant.
    public init(_ role: StorageRole, may verbs: Set<Verb>, on table: Table, rows: Rows = .all) {
        self.role = role
        self.table = table
        self.verbs = verbs
        self.rows = rows
    }

    /// Whether it is for a row.
    fileprivate func covers(_ name: ObjectName, owner: String?, _ caller: SupabaseServer.Caller) -> Bool {
        switch rows {
        case .all: return true
        case .own: return owner != nil && owner == caller.subject
        case .folder:
            let segments = name.key.split(separator: "/", omittingEmptySubsequences: false)
            return segments.count > 1 && segments.first.map { String($0) } == caller.subject
        }
    }
}

extension [StoragePolicy] {
    /// Whether a caller may do all of that to an object.
    ///
    /// - Parameters:
    ///   - name: The object's name, or the one that it will have.
    ///   - owner: The owner of the object that is there.
    func allow(
        _ caller: SupabaseServer.Caller,
        _ verbs: Set<StoragePolicy.Verb>,
        _ name: ObjectName,
        owner: String?
    ) -> Bool {
        if caller.role == .service { return true }
        return verbs.allSatisfy { verb in
            contains { policy in
                guard policy.role == caller.role, policy.verbs.contains(verb),
                    [.objects(bucket: nil), .objects(bucket: name.bucket)].contains(policy.table)
                else { return false }
                // What is inserted will be the caller's.
                return policy.covers(name, owner: verb == .insert ? caller.subject : owner, caller)
            }
        }
    }

    /// Whether there is any object in a bucket to which a role may do that.
    func mayAllow(_ role: StorageRole, _ verb: StoragePolicy.Verb, inBucket bucket: String) -> Bool {
        role == .service
            || contains { policy in
                policy.role == role && policy.verbs.contains(verb)
                    && [.objects(bucket: nil), .objects(bucket: bucket)].contains(policy.table)
            }
    }

    /// Whether a role may do that to buckets.
    func allowBuckets(_ role: StorageRole, _ verb: StoragePolicy.Verb) -> Bool {
        if role == .service { return true }
        return contains { $0.role == role && $0.table == .buckets && $0.verbs.contains(verb) }
    }
}
