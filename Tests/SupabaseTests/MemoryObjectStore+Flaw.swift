import Conformance
import ObjectStoreConformance
import Services
import Synchronization

extension MemoryObjectStore {
    /// A requirement that is violated, and the case that says so.
    enum Flaw: String, CaseIterable {
        case overwrites = "contention.taken"
        case overwritesEqualBytes = "contention.taken equal"
        case transientDuplicate = "contention.taken transient"
        case doublePutRace = "contention.one"
        case losesLastByte = "content.bytes"
        case losesEmptyObjects = "content.empty"
        case stripsZeros = "content.bytes zeros"
        case mixesChunks = "content.large"
        case ignoresOwnLimit = "limit.store"
        case keepsTooLarge = "limit.store kept"
        case foldsCase = "name.distinct"
        case plusIsSpace = "name.distinct plus"
        case acceptsDots = "name.invalid"
        case acceptsEmpty = "name.invalid empty"
        case acceptsSlashes = "name.invalid slashes"
        case matchesPrefixes = "name.part"
        case absentInfoThrows = "content.absent"
        case absentIsEmpty = "content.notFound"
        case wrongSize = "content.bytes size"
        case wrongType = "content.type"
        case oneTag = "content.tag"
        case newTagEachTime = "content.tag new"
        case removesNothing = "content.removed"
        case removesAll = "content.removed all"
        case absentRemovalThrows = "content.removed absent"
        case oneAddress = "public.address"
        case relativeAddress = "public.address relative"
        case namesNoKey = "content.notFound key"
        case namesNoOperation = "content.notFound operation"
        case tellsSecret = "content.notFound secret"
        case wrongCode = "content.notFound code"
        case ignoresRanges = "range.parts"
        case rangesAreClosed = "range.parts closed"
        case behindIsEmpty = "range.behind"
        case opensWithoutType = "stream.info"
        case losesMetadata = "metadata.kept"
        case takesAnyMetadata = "metadata.names"
        case reportsNothing = "upload.read"
        case reportsTooLittle = "upload.read less"
        case storesFirstPart = "upload.read first"
        case keepsUnreadable = "upload.unreadable"
        case blamesNetwork = "upload.unreadable network"
        case ignoresReports = "upload.report"
        case startsAgain = "checkpoint.resumed"
        case digestsNothing = "checkpoint.other"
        case discardsOnce = "checkpoint.discarded"
        case listsByLength = "list.pages"
        case listsAll = "list.pages all"
        case listsNoSizes = "list.pages sizes"
        case repeatsPages = "list.pages repeated"
        case skipsPages = "list.pages skipped"
        case listsAnyNumber = "list.limit"
        case copiesAreMoves = "copy.whole"
        case copiesBytesAlone = "copy.whole type"
        case copiesOver = "copy.refused"
        case movesAreCopies = "move.whole"
        case neverReplaces = "condition.any"
        case replacesBytesAlone = "condition.any type"
        case comparesNothing = "condition.matches"
        case signsForNoTime = "signed.read"
        case signsOther = "signed.read other"
        case signsWithSecret = "signed.read secret"
        case deniesCopies = "ability.absent"

        /// The case of the suite that fails for it.
        var failing: String { String(rawValue.prefix { $0 != " " }) }
    }
}

struct MemoryHarness: ObjectStoreHarness {
    let capabilities: Set<InjectedFailure> = []
    var flaw: MemoryObjectStore.Flaw?
    var sizeLimit: Int? { MemoryObjectStore.sizeLimit }
    var secrets: [String] { [MemoryObjectStore.secret] }

    func makeStore() async throws -> MemoryObjectStore { MemoryObjectStore(flaw) }

    func read(publicURL: String, of store: MemoryObjectStore) async throws -> [UInt8]? {
        let path = publicURL.dropFirst("memory://objects/".count).prefix { $0 != "?" }
        return store.items.withLock { $0[String(path)]?.bytes } ?? []
    }
}
