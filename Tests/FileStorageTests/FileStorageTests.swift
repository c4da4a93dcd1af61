import Conformance
import FileStorage
import Files
import Foundation
import ObjectStoreConformance
import Services
import TestSupport
import Testing

@Suite("Objects in a folder")
struct FileStorageTests {
    private let folder: TemporaryFolder
    private let root: String

    init() throws {
        folder = try TemporaryFolder()
        root = folder.file("objects")
    }

    @Test("the store satisfies the suite of object stores", arguments: ObjectStoreConformance.cases)
    func conforms(_ test: ObjectStoreConformance.Case) async throws {
        let outcome = try await test.run(with: FileHarness())
        let lacks = ["checkpoint": "checkpoints", "signed": "signedAddresses"]
        let group = String(test.id.prefix { $0 != "." })
        switch group {
        case "trouble", "limit": break
        default:
            let lacked = lacks[group].map { "the store has not the ability “\($0)”" }
            #expect(outcome == (lacked.map { .skipped($0) } ?? .passed))
        }
    }

    @Test func `objects are files that a person finds, and outlive the store`() async throws {
        let options = PutOptions(contentType: "text/x-log", metadata: ["by": "me"])
        let key = ObjectKey("logs/2026/a b.log")
        try await FileObjectStore(path: root).put(ObjectContent([1, 2]), at: key, options, report: nil)
        let bytes = try Data(contentsOf: folder.url.appending(path: "objects/logs.d/2026.d/a b.log"))
        #expect(Array(bytes) == [1, 2])
        let info = try await FileObjectStore(path: root + "/").info(key)
        #expect(info?.contentType == "text/x-log" && info?.metadata == ["by": "me"])
    }

    @Test func `a file that somebody puts there is an object, and one that is changed by hand is another`()
        async throws
    {
        let store = try FileObjectStore(path: root)
        try folder.write([1, 2, 3], to: "objects/found.JPG")
        let found = try #require(try await store.info(ObjectKey("found.JPG")))
        #expect(found.size == 3 && found.contentType == "image/jpeg" && found.entityTag.count == 64)
        #expect(try await store.list("", after: nil, limit: 10).objects.map(\.key.path) == ["found.JPG"])
        let key = ObjectKey("own.txt")
        try await store.put([1, 2, 3], at: key, contentType: "a/b")
        #expect(try await store.info(key)?.entityTag == found.entityTag)
        try folder.write([3, 2, 1], to: "objects/own.txt")
        let changed = try #require(try await store.info(key))
        #expect(changed.entityTag != found.entityTag && changed.contentType == "text/plain")
        // The same bytes with another time, as after a restored copy, are still what was said of them.
        try folder.write([1, 2, 3], to: "objects/own.txt")
        #expect(try await store.info(key)?.contentType == "a/b")
    }

    @Test func `a damaged record loses what was said, and not the object`() async throws {
        let store = try FileObjectStore(path: root)
        try await store.put([1], at: ObjectKey("a.png"), contentType: "a/b")
        try folder.write(Array("[{".utf8), to: "objects/.information/a.png.json")
        #expect(try await store.info(ObjectKey("a.png"))?.contentType == "image/png")
        #expect(try await store.get(ObjectKey("a.png"), upTo: 1) == [1])
    }

    @Test func `names that files cannot have are escaped, and too long ones are refused`() async throws {
        let store = try FileObjectStore(path: root)
        let paths = [
            ".hidden", "a.d", "a.d/b", "a", "a/b", "%", "100%.d", "a%2Fb", "ä.d/é", ".information", ".work/1",
            String(repeating: "x", count: 250), "a.d.d",
        ]
        for (index, path) in paths.enumerated() {
            try await store.put([UInt8(index)], at: ObjectKey(path), contentType: "a/b")
        }
        for (index, path) in paths.enumerated() {
            #expect(try await store.get(ObjectKey(path), upTo: 1) == [UInt8(index)])
        }
        let listed = try await store.list("", after: nil, limit: 100).objects.map(\.key.path)
        #expect(listed == paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for path in [String(repeating: "x", count: 251), String(repeating: "%", count: 90), "../x", "a\u{1}"]
        {
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.put([1], at: ObjectKey(path), contentType: "a/b")
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `an object that is replaced or removed while it is read ends with an error that passes`()
        async throws
    {
        let store = try FileObjectStore(path: root)
        let key = ObjectKey("film")
        let bytes = [UInt8].pattern(700_000)
        for isRemoved in [true, false] {
            try await store.put(
                ObjectContent(bytes),
                at: key,
                PutOptions(contentType: "a/b", condition: .any),
                report: nil
            )
            var stream = try await store.open(key, range: nil).makeAsyncIterator()
            _ = try await stream.next()
            if isRemoved {
                try await store.remove(key)
            } else {
                let options = PutOptions(contentType: "a/b", condition: .any)
                try await store.put(ObjectContent(bytes.reversed()), at: key, options, report: nil)
            }
            let error = await #expect(throws: ObjectStoreError.self) {
                while try await stream.next() != nil {}
            }
            #expect(error?.code == .serverError && error?.isTransient == true)
        }
    }

    @Test func `what an earlier process has not finished is removed when the folder is opened`() async throws
    {
        _ = try FileObjectStore(path: root)
        try folder.write([1], to: "objects/.work/7")
        _ = try FileObjectStore(path: root)
        #expect(SystemFiles().names(in: root + "/.work") == [])
        #expect(throws: FileFailure.self) { try FileObjectStore(path: folder.file("no/parent")) }
    }

    @Test func `public addresses are those of files, or of a server in front`() async throws {
        let key = ObjectKey("a b/ü.jpg")
        let own = try FileObjectStore(path: root).publicURL(of: key)
        #expect(own == "file://\(root)/a%20b.d/%C3%BC.jpg")
        let served = try FileObjectStore(path: root, publicAddress: "https://files.example/").publicURL(
            of: key
        )
        #expect(served == "https://files.example/a%20b/%C3%BC.jpg")
    }
}
