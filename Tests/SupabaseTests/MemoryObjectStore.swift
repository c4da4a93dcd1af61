import Conformance
import ObjectStoreConformance
import Services
import Synchronization

/// The least store that satisfies the requirements, and, on demand, violates one of them.
final class MemoryObjectStore: ObjectStore {
    /// A requirement that is violated.
    enum Flaw: String, CaseIterable {
        case overwrites, overwritesEqualBytes, transientDuplicate, doublePutRace
        case losesLastByte, losesEmptyObjects, stripsZeros, mixesChunks
        case ignoresOwnLimit, keepsTooLarge
        case foldsCase, plusIsSpace, acceptsDots, acceptsEmpty, acceptsSlashes, matchesPrefixes
        case absentInfoThrows, absentIsEmpty, wrongSize, wrongType, oneTag, newTagEachTime
        case removesNothing, removesAll, absentRemovalThrows
        case oneAddress, relativeAddress, namesNoKey, namesNoOperation, tellsSecret, wrongCode
    }

    static let secret = "memory-store-secret"
    static let sizeLimit = 2 << 20

    private struct Item {
        var bytes: [UInt8]
        var type: String
    }

    private let items = Mutex<[String: Item]>([:])
    private let tagCounter = Mutex(0)
    private let flaw: Flaw?

    init(_ flaw: Flaw? = nil) { self.flaw = flaw }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        let contentType = options.contentType
        let bytes: [UInt8]
        do { bytes = try await content.bytes(0..<content.size) } catch {
            throw self.error(.unreadable, "put", key)
        }
        try check(key, "put")
        let name = folded(key)
        if bytes.count > Self.sizeLimit, flaw != .ignoresOwnLimit {
            if flaw == .keepsTooLarge { items.withLock { $0[name] = Item(bytes: [], type: contentType) } }
            throw error(.tooLarge, "put", key)
        }
        if flaw == .doublePutRace {
            let isTaken = items.withLock { $0[name] != nil }
            await Task.yield()
            if isTaken { throw error(.alreadyExists, "put", key) }
            items.withLock { $0[name] = Item(bytes: bytes, type: contentType) }
            return
        }
        let isTaken = items.withLock { items in
            if let old = items[name],
                !(flaw == .overwrites || flaw == .overwritesEqualBytes && old.bytes == bytes)
            {
                return true
            }
            items[name] = Item(bytes: stored(bytes), type: flaw == .wrongType ? "text/plain" : contentType)
            return false
        }
        if isTaken { throw error(flaw == .transientDuplicate ? .serverError : .alreadyExists, "put", key) }
    }

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        try check(key, "get")
        guard let item = find(key) else {
            if flaw == .absentIsEmpty { return stream(Item(bytes: [], type: ""), nil) }
            throw error(flaw == .wrongCode ? .serverError : .notFound, "get", key)
        }
        return stream(item, range)
    }

    private func stream(_ item: Item, _ range: Range<Int>?) -> ObjectStream {
        let range = (range ?? 0..<item.bytes.count).clamped(to: 0..<item.bytes.count)
        let left = Mutex<[UInt8]?>(Array(item.bytes[range]))
        let info = ObjectInfo(size: item.bytes.count, contentType: item.type, entityTag: "")
        return ObjectStream(info, range: range) {
            left.withLock { left in
                defer { left = nil }
                return left?.isEmpty == true ? nil : left
            }
        }
    }

    func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        try check(key, "info")
        guard let item = find(key) else {
            if flaw == .absentInfoThrows { throw error(.notFound, "info", key) }
            return nil
        }
        let count = tagCounter.withLock {
            $0 += 1; return $0
        }
        var tag = "\(item.bytes.hashValue)-"
        if flaw == .oneTag { tag = "tag" }
        if flaw == .newTagEachTime { tag += "\(count)" }
        let size = item.bytes.count + (flaw == .wrongSize ? 1 : 0)
        return ObjectInfo(size: size, contentType: item.type, entityTag: tag)
    }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        try check(key, "remove")
        let isThere = items.withLock { items in
            if flaw == .removesNothing { return true }
            if flaw == .removesAll { items.removeAll() }
            return items.removeValue(forKey: folded(key)) != nil
        }
        if !isThere, flaw == .absentRemovalThrows { throw error(.notFound, "remove", key) }
    }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        try check(key, "publicURL")
        if flaw == .oneAddress { return "memory://objects" }
        return flaw == .relativeAddress ? key.path : "memory://objects/\(key.path)"
    }

    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        switch flaw {
        case .losesLastByte: bytes.dropLast()
        case .stripsZeros: bytes.filter { $0 != 0 }
        case .mixesChunks: bytes.count > 65_536 ? Array(bytes[65_536...] + bytes[..<65_536]) : bytes
        default: bytes
        }
    }

    private func find(_ key: ObjectKey) -> Item? {
        let name = folded(key)
        return items.withLock { items in
            if flaw == .losesEmptyObjects, items[name]?.bytes.isEmpty == true { return nil }
            if flaw == .matchesPrefixes, items[name] == nil {
                return items.first { $0.key.hasPrefix(name) }?.value
            }
            return items[name]
        }
    }

    private func folded(_ key: ObjectKey) -> String {
        switch flaw {
        case .foldsCase: key.path.lowercased()
        case .plusIsSpace: String(key.path.map { $0 == "+" ? " " : $0 })
        default: key.path
        }
    }

    private func check(_ key: ObjectKey, _ operation: String) throws(ObjectStoreError) {
        let segments = key.path.split(separator: "/", omittingEmptySubsequences: false)
        let isDotted = segments.contains { $0 == "." || $0 == ".." }
        let isGapped = segments.contains("") && !key.path.isEmpty
        let isPrintable = key.path.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isDotted, flaw != .acceptsDots { throw error(.invalidRequest, operation, key) }
        if isGapped, flaw != .acceptsSlashes { throw error(.invalidRequest, operation, key) }
        if key.path.isEmpty, flaw != .acceptsEmpty { throw error(.invalidRequest, operation, key) }
        if !isPrintable { throw error(.invalidRequest, operation, key) }
    }

    private func error(_ code: ObjectStoreError.Code, _ operation: String, _ key: ObjectKey)
        -> ObjectStoreError
    {
        ObjectStoreError(
            code,
            operation: flaw == .namesNoOperation ? "" : operation,
            key: flaw == .namesNoKey ? "" : key.path,
            detail: flaw == .tellsSecret ? "key \(Self.secret)" : ""
        )
    }
}

struct MemoryHarness: ObjectStoreHarness {
    var flaw: MemoryObjectStore.Flaw?
    var sizeLimit: Int? { MemoryObjectStore.sizeLimit }
    var secrets: [String] { [MemoryObjectStore.secret] }

    func makeStore() async throws -> MemoryObjectStore { MemoryObjectStore(flaw) }
}
