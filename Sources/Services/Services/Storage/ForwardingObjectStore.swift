/// A store that stands before another one, and hands on to it whatever it does not do itself.
public protocol ForwardingObjectStore: ObjectStore {
    /// The store behind this one; asked for before each call.
    var base: any ObjectStore { get }
}

extension ForwardingObjectStore {
    /// Those of the store behind.
    public var abilities: Set<ObjectStoreAbility> { base.abilities }

    /// Handed on.
    public func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) { try await base.put(content, at: key, options, report: report) }

    /// Handed on.
    public func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        try await base.open(key, range: range)
    }

    /// Handed on.
    public func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        try await base.info(key)
    }

    /// Handed on.
    public func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage { try await base.list(prefix, after: token, limit: limit) }

    /// Handed on.
    public func remove(_ key: ObjectKey) async throws(ObjectStoreError) { try await base.remove(key) }

    /// Handed on.
    public func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        try await base.copy(key, to: newKey)
    }

    /// Handed on.
    public func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        try await base.move(key, to: newKey)
    }

    /// Handed on.
    public func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        try base.publicURL(of: key)
    }

    /// Handed on.
    public func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String { try await base.signedURL(to: use, key, lifetime: lifetime) }

    /// Handed on.
    public func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError) {
        try await base.discard(checkpoint)
    }
}
