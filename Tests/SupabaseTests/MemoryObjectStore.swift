import Conformance
import Crypto
import ObjectStoreConformance
import Services
import Synchronization

/// The least store that satisfies the requirements, and, on demand, violates one of them.
final class MemoryObjectStore: ObjectStore {
    static let secret = "memory-store-secret"
    static let sizeLimit = 2 << 20
    /// Bytes of a part, for uploads with checkpoints.
    private static let partSize = 300_000

    struct Item {
        var bytes: [UInt8]
        var type: String
        var metadata: [String: String] = [:]
    }

    let items = Mutex<[String: Item]>([:])
    /// Uploads under way, by their places.
    private let uploads = Mutex<[String: [UInt8]]>([:])
    private let tagCounter = Mutex(0)
    let flaw: Flaw?

    init(_ flaw: Flaw? = nil) { self.flaw = flaw }

    var abilities: Set<ObjectStoreAbility> {
        var abilities = Set(ObjectStoreAbility.allCases)
        if flaw == .deniesCopies { abilities.remove(.copy) }
        return abilities
    }

    // MARK: Storing

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        try check(key, "put")
        if flaw != .takesAnyMetadata, !options.metadata.allSatisfy({ Self.isPlain($0.key, $0.value) }) {
            throw error(.invalidRequest, "put", key)
        }
        if content.size > Self.sizeLimit, flaw != .ignoresOwnLimit {
            if flaw == .keepsTooLarge { keep(Item(bytes: [], type: options.contentType), key) }
            throw error(.tooLarge, "put", key)
        }
        let bytes = try await received(content, at: key, options, report)
        let item = Item(
            bytes: stored(bytes),
            type: flaw == .wrongType ? "text/plain" : options.contentType,
            metadata: flaw == .losesMetadata
                ? [:] : options.metadata.reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
        )
        if flaw == .doublePutRace, options.condition == .absent {
            let isTaken = find(key) != nil
            await Task.yield()
            if isTaken { throw error(.alreadyExists, "put", key) }
            return keep(item, key)
        }
        try items.withLock { items throws(ObjectStoreError) in
            let old = items[folded(key)]
            try compare(old, item, key, options.condition)
            items[folded(key)] = item
            if flaw == .replacesBytesAlone, let old { items[folded(key)]?.type = old.type }
        }
    }

    private func compare(
        _ old: Item?,
        _ new: Item,
        _ key: ObjectKey,
        _ condition: PutOptions.Condition
    ) throws(ObjectStoreError) {
        switch condition {
        case .absent:
            let isReplaced = flaw == .overwrites || flaw == .overwritesEqualBytes && old?.bytes == new.bytes
            if old != nil, !isReplaced {
                throw error(flaw == .transientDuplicate ? .serverError : .alreadyExists, "put", key)
            }
        case .any: if old != nil, flaw == .neverReplaces { throw error(.alreadyExists, "put", key) }
        case .matches(let tag):
            if flaw == .comparesNothing || old.map({ self.tag(of: $0) }) == tag { return }
            throw error(.conditionFailed, "put", key)
        }
    }

    /// Takes the content in parts, as a service with checkpoints does.
    private func received(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) -> [UInt8] {
        var known = UploadCheckpoint(
            key: key,
            store: "memory",
            size: content.size,
            digest: "",
            confirmed: 0,
            place: key.path
        )
        if content.isRepeatable, content.size > Self.partSize {
            let bytes = flaw == .digestsNothing ? [] : try await read(content, 0..<content.size, key)
            known.digest = SHA256.hash(data: bytes).map { "\($0)" }.joined(separator: ".")
        }
        var bytes: [UInt8] = []
        if let checkpoint = options.checkpoint, checkpoint.isOfSameUpload(as: known), flaw != .startsAgain {
            bytes = uploads.withLock { $0[checkpoint.place] } ?? []
        }
        while bytes.count < content.size {
            let part = bytes.count..<min(bytes.count + Self.partSize, content.size)
            bytes += try await read(content, part, key)
            known.confirmed = bytes.count
            uploads.withLock { $0[known.place] = bytes }
            guard let report, flaw != .reportsNothing else { continue }
            let hasCheckpoint = content.isRepeatable && content.size > Self.partSize
            let progress = UploadProgress(
                sent: flaw == .reportsTooLittle ? bytes.count - 1 : bytes.count,
                size: content.size,
                checkpoint: hasCheckpoint ? known : nil
            )
            do { try await report(progress) } catch {
                if flaw != .ignoresReports { throw self.error(.cancelled, "put", key) }
            }
            if flaw == .storesFirstPart { break }
        }
        return bytes
    }

    private func read(
        _ content: ObjectContent,
        _ range: Range<Int>,
        _ key: ObjectKey
    ) async throws(ObjectStoreError) -> [UInt8] {
        do { return try await content.bytes(range) } catch {
            if flaw == .keepsUnreadable { keep(Item(bytes: [], type: "a/b"), key) }
            var failure = self.error(flaw == .blamesNetwork ? .network : .unreadable, "put", key)
            failure.detail += error.detail
            throw failure
        }
    }

    func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError) {
        let wasThere = uploads.withLock { $0.removeValue(forKey: checkpoint.place) != nil }
        if !wasThere, flaw == .discardsOnce { throw error(.notFound, "discard", checkpoint.key) }
    }

    // MARK: Reading

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        try check(key, "get")
        guard let item = find(key) else {
            if flaw == .absentIsEmpty { return stream(Item(bytes: [], type: ""), nil) }
            throw error(flaw == .wrongCode ? .serverError : .notFound, "get", key)
        }
        if let range, !range.isEmpty, range.lowerBound >= item.bytes.count, flaw != .behindIsEmpty {
            throw error(.invalidRequest, "get", key)
        }
        return stream(item, flaw == .ignoresRanges ? nil : range)
    }

    private func stream(_ item: Item, _ range: Range<Int>?) -> ObjectStream {
        var range = (range ?? 0..<item.bytes.count).clamped(to: 0..<item.bytes.count)
        let announced = range
        if flaw == .rangesAreClosed, range.upperBound < item.bytes.count {
            range = range.lowerBound..<(range.upperBound + 1)
        }
        let left = Mutex<[UInt8]?>(Array(item.bytes[range]))
        var info = ObjectInfo(size: item.bytes.count, contentType: item.type, entityTag: tag(of: item))
        if flaw == .opensWithoutType { info.contentType = "" }
        return ObjectStream(info, range: announced) {
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
        return ObjectInfo(
            size: item.bytes.count + (flaw == .wrongSize ? 1 : 0),
            contentType: item.type,
            entityTag: tag(of: item),
            metadata: item.metadata
        )
    }

    func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        guard (1...1000).contains(limit) || flaw == .listsAnyNumber else {
            throw error(.invalidRequest, "list", ObjectKey(prefix))
        }
        let keys = items.withLock { items in
            items.keys.filter { flaw == .listsAll || $0.utf8.starts(with: prefix.utf8) }
        }
        let ordered = keys.sorted {
            flaw == .listsByLength
                ? ($0.count, $0) < ($1.count, $1) : $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        let start =
            flaw == .repeatsPages ? 0 : token.flatMap { ordered.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let page = ordered[start...].prefix(max(1, limit))
        let hasNext = start + page.count < ordered.count
        let skipped = flaw == .skipsPages && hasNext ? 1 : 0
        return ObjectPage(
            objects: page.dropLast(skipped).map { path in
                let item = items.withLock { $0[path] } ?? Item(bytes: [], type: "")
                return ListedObject(
                    key: ObjectKey(path),
                    size: flaw == .listsNoSizes ? 0 : item.bytes.count,
                    entityTag: tag(of: item)
                )
            },
            next: hasNext ? page.last : nil
        )
    }

    // MARK: Names

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        try check(key, "remove")
        let isThere = items.withLock { items in
            if flaw == .removesNothing { return true }
            if flaw == .removesAll { items.removeAll() }
            return items.removeValue(forKey: folded(key)) != nil
        }
        if !isThere, flaw == .absentRemovalThrows { throw error(.notFound, "remove", key) }
    }

    func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        try rename(key, newKey, "copy", keepsOld: flaw != .copiesAreMoves)
    }

    func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        try rename(key, newKey, "move", keepsOld: flaw == .movesAreCopies)
    }

    private func rename(
        _ key: ObjectKey,
        _ newKey: ObjectKey,
        _ operation: String,
        keepsOld: Bool
    ) throws(ObjectStoreError) {
        try check(key, operation)
        try check(newKey, operation)
        try items.withLock { items throws(ObjectStoreError) in
            guard var item = items[folded(key)] else { throw error(.notFound, operation, key) }
            if items[folded(newKey)] != nil, flaw != .copiesOver {
                throw error(.alreadyExists, operation, newKey)
            }
            if flaw == .copiesBytesAlone { item.type = "application/octet-stream" }
            items[folded(newKey)] = item
            if !keepsOld { items[folded(key)] = nil }
        }
    }

    func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        try check(key, "publicURL")
        if flaw == .oneAddress { return "memory://objects" }
        return flaw == .relativeAddress ? key.path : "memory://objects/\(key.path)"
    }

    func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String {
        try check(key, "sign")
        if lifetime < .seconds(1), flaw != .signsForNoTime { throw error(.invalidRequest, "sign", key) }
        let signature = flaw == .signsWithSecret ? Self.secret : "signature"
        return "memory://objects/\(flaw == .signsOther ? "other" : key.path)?\(signature)"
    }

    // MARK: Flaws

    private func tag(of item: Item) -> String {
        let count = tagCounter.withLock { count in
            count += 1
            return count
        }
        if flaw == .oneTag { return "tag" }
        return "\(item.bytes.hashValue)-" + (flaw == .newTagEachTime ? "\(count)" : "")
    }

    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        switch flaw {
        case .losesLastByte: bytes.dropLast()
        case .stripsZeros: bytes.filter { $0 != 0 }
        case .mixesChunks: bytes.count > 65_536 ? Array(bytes[65_536...] + bytes[..<65_536]) : bytes
        default: bytes
        }
    }

    private func keep(_ item: Item, _ key: ObjectKey) { items.withLock { $0[folded(key)] = item } }

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

    private static func isPlain(_ name: String, _ value: String) -> Bool {
        !name.isEmpty && !name.contains(" ") && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && value.first != " "
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
