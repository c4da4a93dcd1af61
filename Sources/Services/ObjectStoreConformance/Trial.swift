import Conformance
import Services

/// A store on trial, with its harness at hand.
struct Trial: Sendable {
    let store: any ObjectStore
    let harness: any ObjectStoreHarness
    let inject: @Sendable (InjectedFailure) async throws -> Void
    let read: @Sendable (String) async throws -> [UInt8]?
    private let look: @Sendable (ObjectKey) async throws -> SeenObject?

    static func make(_ harness: some ObjectStoreHarness) async throws -> Trial {
        let store = try await harness.makeStore()
        return Trial(
            store: isUnderFaults ? WitnessedStore(store) : store,
            harness: harness,
            inject: { try await harness.inject($0, into: store) },
            read: { address in try await byHarness { try await harness.read(publicURL: address, of: store) }
            },
            look: { key in try await byHarness { try await harness.look(at: key, in: store) } }
        )
    }

    /// Runs something that must fail, with one of some codes and an error that says what was tried on what.
    @discardableResult
    func failing<Value>(
        _ requirement: String,
        _ codes: Set<ObjectStoreError.Code>,
        key: ObjectKey,
        _ work: () async throws -> Value
    ) async throws -> ObjectStoreError { try await failing(requirement, codes, keys: [key], work) }

    /// The same, of a call with several keys, one of which the error names.
    @discardableResult
    func failing<Value>(
        _ requirement: String,
        _ codes: Set<ObjectStoreError.Code>,
        keys: [ObjectKey],
        _ work: () async throws -> Value
    ) async throws -> ObjectStoreError {
        let error: ObjectStoreError = try await requireError(requirement, work)
        try harness.requireNoSecret(in: error)
        try harness.requireNoSecret(in: error.detail)
        try require(
            !error.operation.isEmpty,
            "an error says what was tried",
            saw: "nothing, in “\(error)”"
        )
        if !codes.contains(error.code) { try giveUp(on: error) }
        try require(codes.contains(error.code), requirement, saw: error.description)
        try require(
            keys.contains { $0.path == error.key },
            "an error names its key, “\(keys[0])”",
            saw: "“\(error.key)”"
        )
        return error
    }

    func put(_ bytes: [UInt8], at key: ObjectKey, type: String = "application/octet-stream") async throws {
        try await put(bytes, at: key, PutOptions(contentType: type))
    }

    func put(_ bytes: [UInt8], at key: ObjectKey, _ options: PutOptions) async throws {
        try await requireSuccess("an object of \(bytes.count) bytes is stored under the key “\(key)”") {
            try await store.put(ObjectContent(bytes), at: key, options, report: nil)
        }
    }

    /// Checks that the store holds those bytes, by reading them and by its information.
    func expect(_ bytes: [UInt8], at key: ObjectKey) async throws {
        let read = try await requireSuccess("the object “\(key)” can be read") {
            try await store.get(key, upTo: bytes.count + 1)
        }
        try require(
            read == bytes,
            "“\(key)” reads as the \(bytes.count) bytes that were stored",
            saw: "\(read.count) other bytes"
        )
        try require(try await info(key)?.size, is: bytes.count, "“\(key)” has a size of \(bytes.count)")
        if let seen = try await look(key) {
            try require(seen.bytes == bytes, "“\(key)” lies in the store as it was put", saw: "\(seen)")
        }
    }

    func info(_ key: ObjectKey) async throws -> ObjectInfo? {
        try await requireSuccess("a store reports on “\(key)”, or that it is absent") {
            try await store.info(key)
        }
    }

    func remove(_ key: ObjectKey) async throws {
        try await requireSuccess("“\(key)” can be removed") { try await store.remove(key) }
    }

    func expectAbsent(_ key: ObjectKey) async throws {
        try require(try await info(key)?.size, is: nil, "nothing is stored at “\(key)”")
        if let seen = try await look(key) {
            try require(seen == .nothing, "nothing lies in the store at “\(key)”", saw: "\(seen)")
        }
    }

    /// The bytes at the public address of an object.
    func served(at key: ObjectKey) async throws -> [UInt8] {
        guard let bytes = try await read(address(of: key)) else {
            throw CaseSkipped("the harness does not read public addresses")
        }
        return bytes
    }

    func address(of key: ObjectKey) throws -> String {
        try requireSuccess("“\(key)” has a public address") { try store.publicURL(of: key) }
    }
}
