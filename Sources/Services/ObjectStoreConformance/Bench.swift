import Conformance
import Services

/// A store on trial, with its harness at hand.
struct Bench: Sendable {
    let store: any ObjectStore
    let failures: Set<InjectedFailure>
    let sizeLimit: Int?
    let inject: @Sendable (InjectedFailure) async throws -> Void
    let read: @Sendable (String) async throws -> [UInt8]?
    private let secrets: [String]

    static func make(_ harness: some ObjectStoreHarness) async throws -> Bench {
        let store = try await harness.makeStore()
        return Bench(
            store: store,
            failures: harness.failures,
            sizeLimit: harness.sizeLimit,
            inject: { try await harness.inject($0, into: store) },
            read: { try await harness.read(publicURL: $0, of: store) },
            secrets: harness.secrets
        )
    }

    /// Runs something that must succeed.
    func succeeding<Value>(
        _ requirement: String,
        _ work: () async throws(ObjectStoreError) -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            try checkDescription(of: error)
            throw ConformanceFailure(requirement, saw: error.description)
        }
    }

    /// Runs something that must fail, with one of some codes and an error that says what was tried on what.
    @discardableResult
    func failing<Value>(
        _ requirement: String,
        _ codes: Set<ObjectStoreError.Code>,
        key: ObjectKey,
        _ work: () async throws(ObjectStoreError) -> Value
    ) async throws -> ObjectStoreError {
        do {
            _ = try await work()
        } catch {
            try checkDescription(of: error)
            guard codes.contains(error.code) else {
                throw ConformanceFailure(requirement, saw: error.description)
            }
            guard error.key == key.path else {
                throw ConformanceFailure("an error names its key, “\(key)”", saw: "“\(error.key)”")
            }
            return error
        }
        throw ConformanceFailure(requirement, saw: "success")
    }

    func put(_ bytes: [UInt8], at key: ObjectKey, type: String = "application/octet-stream") async throws {
        try await succeeding("an object of \(bytes.count) bytes is stored under the new key “\(key)”") {
            () async throws(ObjectStoreError) in try await store.put(bytes, at: key, contentType: type)
        }
    }

    /// Checks that the store holds those bytes, by reading them and by its information.
    func expect(_ bytes: [UInt8], at key: ObjectKey) async throws {
        let read = try await succeeding("the object “\(key)” can be read") {
            () async throws(ObjectStoreError) in try await store.get(key, upTo: bytes.count + 1)
        }
        guard read == bytes else {
            throw ConformanceFailure(
                "“\(key)” reads as the \(bytes.count) bytes that were stored",
                saw: "\(read.count) other bytes"
            )
        }
        let info = try await info(key)
        guard let info, info.size == bytes.count else {
            let size = info.map { "\($0.size)" } ?? "no object"
            throw ConformanceFailure("“\(key)” has a size of \(bytes.count)", saw: size)
        }
    }

    func info(_ key: ObjectKey) async throws -> ObjectInfo? {
        try await succeeding("a store reports on “\(key)”, or that it is absent") {
            () async throws(ObjectStoreError) in try await store.info(key)
        }
    }

    func remove(_ key: ObjectKey) async throws {
        try await succeeding("“\(key)” can be removed") { () async throws(ObjectStoreError) in
            try await store.remove(key)
        }
    }

    func expectAbsent(_ key: ObjectKey) async throws {
        if let info = try await info(key) {
            throw ConformanceFailure("nothing is stored at “\(key)”", saw: "\(info.size) bytes")
        }
    }

    private func checkDescription(of error: ObjectStoreError) throws {
        if error.operation.isEmpty {
            throw ConformanceFailure("an error says what was tried", saw: "nothing, in “\(error)”")
        }
        let texts = [error.description, error.detail, String(reflecting: error)]
        for secret in secrets where texts.contains(where: { $0.contains(secret) }) {
            throw ConformanceFailure(
                "no error contains a credential",
                saw: "one, in an error of \(error.code)"
            )
        }
    }
}
