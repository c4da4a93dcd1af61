import Conformance
import Services

/// A store whose every report of something done is remembered, and looked at once the faults are over.
struct WitnessedStore: ForwardingObjectStore {
    let base: any ObjectStore
    private let ledger = ObjectLedger()

    init(_ base: any ObjectStore) {
        self.base = base
        onceFaultsAreOver { [ledger] in try await ledger.check(base) }
    }

    func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        let change = ledger.begin(.content(content), at: key, needsAbsence: options.condition == .absent)
        do { try await base.put(content, at: key, options, report: report) } catch {
            if error.code == .alreadyExists { ledger.found(change) } else { ledger.end(change, error) }
            throw error
        }
        ledger.end(change, nil)
    }

    func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        let change = ledger.begin(.nothing, at: key)
        do { try await base.remove(key) } catch {
            ledger.end(change, error)
            throw error
        }
        ledger.end(change, nil)
    }

    func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let change = ledger.begin(.objectOf(key), at: newKey, needsAbsence: true)
        do { try await base.copy(key, to: newKey) } catch {
            ledger.end(change, error)
            throw error
        }
        ledger.end(change, nil)
    }

    func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let changes = [
            ledger.begin(.objectOf(key), at: newKey, needsAbsence: true), ledger.begin(.nothing, at: key),
        ]
        do { try await base.move(key, to: newKey) } catch {
            for change in changes { ledger.end(change, error) }
            throw error
        }
        for change in changes { ledger.end(change, nil) }
    }
}
