import Conformance
import FileStorage
import Files
import Foundation
import ObjectStoreConformance
import Services
import TestSupport
import Testing

/// A folder on the disk of this machine.
struct FileHarness: ObjectStoreHarness {
    let capabilities: Set<InjectedFailure> = []

    /// The store with its folder, which goes with it.
    struct Store: ForwardingObjectStore {
        let folder: TemporaryFolder
        let base: any ObjectStore
    }

    func makeStore() async throws -> Store {
        let folder = try TemporaryFolder()
        return Store(folder: folder, base: try FileObjectStore(path: folder.file("objects")))
    }

    func read(publicURL: String, of store: Store) async throws -> [UInt8]? {
        let url = try #require(URL(string: publicURL))
        return (try? Data(contentsOf: url)).map { Array($0) } ?? []
    }

    func look(at key: ObjectKey, in store: Store) async throws -> SeenObject? {
        // As a person finds it: through the folders that end in “.d”.
        var folders = key.path.split(separator: "/").map { String($0) }
        let name = folders.removeLast()
        let path = ([store.folder.file("objects")] + folders.map { $0 + ".d" } + [name]).joined(
            separator: "/"
        )
        guard !name.hasPrefix("."), !key.path.contains("%") else { return nil }
        return (try? SystemFiles().read(path, upTo: .max)).map { .object($0) } ?? .nothing
    }
}
