import Concurrency
import Services
import Synchronization

/// A store whose next answers the test plans; beyond the plan it keeps what it is given.
final class ScriptedObjectStore: ObjectStore {
    /// What becomes of one `put`.
    enum Answer: Sendable {
        case fails(ObjectStoreError.Code)
        /// The object is stored, but the answer is lost.
        case storesAndFails(ObjectStoreError.Code)
    }

    private struct State {
        var answers: [Answer]
        var removalFailures: [ObjectStoreError.Code] = []
        var objects: [ObjectKey: (bytes: [UInt8], contentType: String)] = [:]
    }

    let puts = CurrentValue<[ObjectKey]>([])
    let removals = CurrentValue<[ObjectKey]>([])
    /// While false, puts wait.
    let gate = CurrentValue(true)
    private let state: Mutex<State>

    init(_ answers: [Answer] = []) {
        state = Mutex(State(answers: answers))
    }

    var objects: [ObjectKey: (bytes: [UInt8], contentType: String)] { state.withLock { $0.objects } }

    /// Has the next removals fail.
    func refuseRemovals(_ codes: [ObjectStoreError.Code]) { state.withLock { $0.removalFailures = codes } }

    func place(_ bytes: [UInt8], at key: ObjectKey) {
        state.withLock { $0.objects[key] = (bytes, "image/jpeg") }
    }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        let bytes = try await content.whole(at: key)
        puts.update { $0.append(key) }
        await gate.reaches { $0 }
        let failure: ObjectStoreError.Code? = state.withLock { state in
            let answer = state.answers.isEmpty ? nil : state.answers.removeFirst()
            if case .fails(let code)? = answer { return code }
            guard state.objects[key] == nil else { return .alreadyExists }
            state.objects[key] = (bytes, options.contentType)
            if case .storesAndFails(let code)? = answer { return code }
            return nil
        }
        if let failure { throw ObjectStoreError(failure, operation: "put", key: key.path) }
    }

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        guard let object = objects[key] else {
            throw ObjectStoreError(.notFound, operation: "get", key: key.path)
        }
        return .of(object.bytes, range)
    }

    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        objects[key].map { ObjectInfo(size: $0.bytes.count, contentType: $0.contentType, entityTag: "tag") }
    }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        removals.update { $0.append(key) }
        let failure: ObjectStoreError.Code? = state.withLock { state in
            if !state.removalFailures.isEmpty { return state.removalFailures.removeFirst() }
            state.objects[key] = nil
            return nil
        }
        if let failure { throw ObjectStoreError(failure, operation: "remove", key: key.path) }
    }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        "https://store.example/\(key.path)"
    }
}

extension ObjectContent {
    /// All of it.
    func whole(at key: ObjectKey) async throws(ObjectStoreError) -> [UInt8] {
        do { return try await bytes(0..<size) } catch {
            throw ObjectStoreError(.unreadable, operation: "put", key: key.path, detail: error.detail)
        }
    }
}

extension ObjectStream {
    /// Bytes of an object in memory.
    static func of(_ bytes: [UInt8], _ range: Range<Int>?) -> ObjectStream {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        let info = ObjectInfo(size: bytes.count, contentType: "image/jpeg", entityTag: "tag")
        let left = CurrentValue<[UInt8]?>(Array(bytes[range]))
        return ObjectStream(info, range: range) {
            let next = left.value
            left.set(nil)
            return next?.isEmpty == true ? nil : next
        }
    }
}
