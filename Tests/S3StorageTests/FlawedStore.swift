import Services
import TestSupport

/// A store that is right while nothing fails.
struct FlawedStore: ForwardingObjectStore {
    enum Flaw: String, CaseIterable {
        /// A large upload is reported as done although the connection was lost.
        case reportsTooEarly
        /// A download whose connection is lost is over.
        case endsWhereItBreaks
        /// A copy whose answer was lost is made again.
        case copiesAgain
        /// A list that comes too late, or not at all, was never possible.
        case blamesTheRequest
        /// A large upload that fails is waited for.
        case waitsForEver
        /// A list that breaks has no more pages.
        case endsLists

        /// The cases that find it.
        var group: String {
            switch self {
            case .reportsTooEarly, .waitsForEver: "content.large"
            // All of them: few downloads break in the middle.
            case .endsWhereItBreaks: ""
            case .copiesAgain: "copy."
            case .blamesTheRequest, .endsLists: "list."
            }
        }

        /// A part of what is said of it.
        var finding: String {
            switch self {
            case .reportsTooEarly: "is what was reported"
            case .endsWhereItBreaks: "other bytes"
            case .copiesAgain: "alreadyExists"
            case .blamesTheRequest: "invalidRequest"
            case .waitsForEver: "nothing within"
            case .endsLists: "pages of"
            }
        }
    }

    let base: any ObjectStore
    let flaw: Flaw

    private static func isLoss(_ error: ObjectStoreError) -> Bool {
        error.code == .network || error.code == .timedOut
    }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        do { try await base.put(content, at: key, options, report: report) } catch {
            guard Self.isLoss(error), content.size > 100_000 else { throw error }
            switch flaw {
            case .reportsTooEarly: return
            case .waitsForEver: await Signal.waitForCancellation()
            default: break
            }
            throw error
        }
    }

    func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        let stream = try await base.open(key, range: range)
        guard flaw == .endsWhereItBreaks else { return stream }
        return ObjectStream(stream.info, range: stream.range) { () async throws(ObjectStoreError) in
            var iterator = stream.makeAsyncIterator()
            do throws(ObjectStoreError) { return try await iterator.next() } catch {
                if Self.isLoss(error) { return nil }
                throw error
            }
        }
    }

    func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        do { try await base.copy(key, to: newKey) } catch {
            guard flaw == .copiesAgain, Self.isLoss(error) else { throw error }
            try await base.copy(key, to: newKey)
        }
    }

    func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        do { return try await base.list(prefix, after: token, limit: limit) } catch {
            guard Self.isLoss(error) else { throw error }
            if flaw == .endsLists { return ObjectPage(objects: [], next: nil) }
            var error = error
            if flaw == .blamesTheRequest { error.code = .invalidRequest }
            throw error
        }
    }
}
