import HTTPTypes
import ObjectStoreConformance
import Services
import SimulatedTransport
import SimulationTesting
import Synchronization
import Testing
import Transport
import WebDAVStorage

/// What the suite cannot see: requests, folders, and what others say in the server's place.
@Suite("The WebDAV store", .simulated(seeds: 1...5))
struct WebDAVStoreTests {
    private func store() async throws -> StagedStore {
        try await WebDAVHarness.simulated(on: SimulatedNetwork()).makeStore()
    }

    private func failure(_ work: () async throws -> Void) async throws -> ObjectStoreError {
        try #require(await #expect(throws: ObjectStoreError.self) { try await work() })
    }

    // MARK: After a lost answer

    /// Stores an object while the connection breaks once the server has it.
    private func putLosingTheAnswer(
        _ condition: PutOptions.Condition
    ) async throws -> (store: StagedStore, error: ObjectStoreError?) {
        let network = SimulatedNetwork()
        let store = try await WebDAVHarness.simulated(on: network).makeStore()
        store.server.meet(.before { network.reset("phone", "cloud") })
        let options = PutOptions(contentType: "image/jpeg", condition: condition)
        do throws(ObjectStoreError) {
            try await store.put(ObjectContent([1, 2, 3]), at: ObjectKey("a.jpg"), options, report: nil)
            return (store, nil)
        } catch { return (store, error) }
    }

    @Test func `an upload with a condition is sent once, and its bytes decide what became of it`()
        async throws
    {
        let (store, error) = try await putLosingTheAnswer(.absent)
        #expect(error?.code == .network && error?.mayHaveTakenEffect == true)
        #expect(store.server.requests == ["PUT /dav/a.jpg"])
        #expect(try await store.holds(ObjectContent([1, 2, 3]), at: ObjectKey("a.jpg")))
        #expect(try await !store.holds(ObjectContent([1, 2, 4]), at: ObjectKey("a.jpg")))
    }

    @Test func `an upload that replaces whatever is there may be sent twice`() async throws {
        let (store, error) = try await putLosingTheAnswer(.any)
        #expect(error == nil)
        #expect(store.server.requests == ["PUT /dav/a.jpg", "PUT /dav/a.jpg"])
    }

    @Test("a lock and a full disk have changed nothing", arguments: [423, 507])
    func nothingDone(status: Int) async throws {
        let store = try await store()
        store.server.meet(.answers(.init(code: status)))
        let error = try await failure { try await store.put([1], at: ObjectKey("a"), contentType: "a/b") }
        #expect(error.code == .serverError && error.isTransient && !error.mayHaveTakenEffect)
    }

    // MARK: Somebody else

    @Test func `a redirect is not followed, and the login stays`() async throws {
        let store = try await store()
        store.server.meet(.answers(.found, [.location: "http://elsewhere.example.com/dav/a"]))
        let error = try await failure { _ = try await store.info(ObjectKey("a")) }
        #expect(error.code == .serverError && error.detail.hasPrefix("HTTP 302"))
        #expect(store.server.requests == ["HEAD /dav/a"])
    }

    @Test func `a server that asks for patience says for how long`() async throws {
        let store = try await store()
        store.server.meet(.answers(.tooManyRequests, [.retryAfter: "7"]))
        let error = try await failure { try await store.remove(ObjectKey("a")) }
        #expect(error.code == .slowDown && error.retryAfter == .seconds(7) && !error.mayHaveTakenEffect)
    }

    @Test(
        "a portal in between makes no object absent and nothing done",
        arguments: [
            HTTPResponse.Status.ok, .notFound, .gone,
        ]
    )
    func portal(status: HTTPResponse.Status) async throws {
        let store = try await store()
        try await store.put([1], at: ObjectKey("a"), contentType: "a/b")
        let key = ObjectKey("a")
        let works: [@Sendable () async throws -> Void] = [
            { _ = try await store.info(key) }, { _ = try await store.get(key, upTo: 9) },
            { try await store.remove(key) }, { _ = try await store.list("", after: nil, limit: 9) },
            { try await store.put([1], at: ObjectKey("b"), contentType: "a/b") },
            { try await store.copy(key, to: ObjectKey("b")) },
        ]
        for work in works {
            let page = ScriptedDAV.Trouble.answers(
                status,
                [.contentType: "text/html"],
                "<html>Welcome!</html>"
            )
            store.server.meet(page, page)
            let error = try await failure(work)
            #expect([.serverError, .notConfigured].contains(error.code), "\(error)")
            store.server.forgetTroubles()
        }
        #expect(try await store.get(key, upTo: 9) == [1])
    }

    @Test func `a removal of which a part was not done is none`() async throws {
        let store = try await store()
        let text = "<multistatus xmlns='DAV:'/>"
        store.server.meet(.answers(.init(code: 207), [.contentType: "application/xml"], text))
        let error = try await failure { try await store.remove(ObjectKey("a")) }
        #expect(error.code == .serverError && error.detail.hasPrefix("HTTP 207"))
    }

    @Test("an object that breaks off is no shorter object", arguments: [0, 1, 5_000, 9_999])
    func breaksOff(count: Int) async throws {
        let store = try await store()
        let (key, bytes) = (ObjectKey("film"), Array(repeating: UInt8(7), count: 10_000))
        try await store.put(bytes, at: key, contentType: "a/b")
        store.server.meet(.breaksOff(after: count))
        let error = try await failure { _ = try await store.get(key, upTo: 10_000) }
        #expect(error.code == .network)
    }

    // MARK: Folders

    @Test func `folders are made where they are missing, also by two at once`() async throws {
        let store = try await store()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["1", "2"] {
                group.addTask { try await store.put([1], at: ObjectKey("a/b/\(name)"), contentType: "a/b") }
            }
            try await group.waitForAll()
        }
        #expect(store.server.file("a.d/b.d/1") != nil && store.server.file("a.d/b.d/2") != nil)
        let count = store.server.requests.count
        try await store.put([1], at: ObjectKey("a/b/3"), contentType: "a/b")
        #expect(store.server.requests.count == count + 1)
    }

    @Test func `an object that must be there needs no folder`() async throws {
        let store = try await store()
        let options = PutOptions(contentType: "a/b", condition: .matches("x"))
        let error = try await failure {
            try await store.put(ObjectContent([1]), at: ObjectKey("a/b"), options, report: nil)
        }
        #expect(error.code == .conditionFailed)
        #expect(store.server.requests == ["PUT /dav/a.d/b"])
    }

    @Test func `without the store's folder nothing is said of objects`() async throws {
        let store = try await store()
        store.server.arrange { _ = $0.remove("", [:]) }
        let works: [@Sendable () async throws -> Void] = [
            { _ = try await store.info(ObjectKey("a")) },
            { _ = try await store.get(ObjectKey("a"), upTo: 1) },
            { _ = try await store.list("", after: nil, limit: 9) },
            { try await store.remove(ObjectKey("a")) },
            { try await store.put([1], at: ObjectKey("a"), contentType: "a/b") },
        ]
        for work in works { #expect(try await failure(work).code == .notConfigured) }
    }

    @Test func `a folder that somebody has made under the name of an object stays as it is`() async throws {
        let store = try await store()
        store.server.arrange { top in
            _ = top.makeFolder("album")
            _ = top.put([1], at: "album/by-hand", [:])
        }
        let key = ObjectKey("album")
        for work in [
            { try await store.remove(key) }, { try await store.move(key, to: ObjectKey("b")) },
            { try await store.put([2], at: key, contentType: "a/b") },
        ] as [@Sendable () async throws -> Void] {
            #expect(try await failure(work).code == .invalidRequest)
        }
        #expect(try await failure { _ = try await store.get(key, upTo: 9) }.code == .serverError)
        #expect(store.server.file("album/by-hand") != nil)
    }

    // MARK: Lists

    @Test func `names that a server would hide or take for folders come back`() async throws {
        let store = try await store()
        let paths = [
            ".d", ".htaccess", "%", "100%.d", "a", "a%2Eb", "a.d", "a.d/b", "a/b", "ä.d/é & ü", "#?/;",
        ]
        for path in paths { try await store.put([1], at: ObjectKey(path), contentType: "a/b") }
        store.server.arrange { _ = $0.put([1], at: "a.d/.of-the-system", [:]) }
        let found = try await store.list("", after: nil, limit: 1000).objects.map(\.key.path)
        #expect(found == paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for path in paths { #expect(try await store.get(ObjectKey(path), upTo: 1) == [1], "\(path)") }
    }

    @Test func `a page asks only for the folders that it needs`() async throws {
        let store = try await store()
        for path in ["a/1", "b/1", "b/2", "b/c/1", "d/1"] {
            try await store.put([1], at: ObjectKey(path), contentType: "a/b")
        }
        func asked(_ prefix: String, _ token: String?, _ limit: Int) async throws -> [String] {
            let before = store.server.requests.count
            _ = try await store.list(prefix, after: token, limit: limit)
            return store.server.requests.dropFirst(before).map { String($0.dropFirst("PROPFIND /dav".count)) }
        }
        #expect(try await asked("b/", nil, 9) == ["/", "/b.d/", "/b.d/c.d/"])
        #expect(try await asked("", "b/2", 9) == ["/", "/b.d/", "/b.d/c.d/", "/d.d/"])
        #expect(try await asked("", nil, 1) == ["/", "/a.d/", "/b.d/"])
    }

    // MARK: Configuration

    @Test func `a server whose tags say nothing is asked for no comparison`() async throws {
        let (server, network) = (ScriptedDAV(), SimulatedNetwork())
        let (client, cloud) = (network.host("phone"), network.host("cloud"))
        let listener = try await cloud.listen(server, at: SocketAddress(host: "cloud", port: 0))
        let configuration = WebDAVConfiguration(
            address: "http://\(listener.address)/dav",
            login: Secret(ScriptedDAV.login),
            comparesTags: false
        )
        let store = WebDAVObjectStore(client: client) { () throws(SecretStoreError) in configuration }
        #expect(store.abilities == [.list, .copy, .move])
        let options = PutOptions(contentType: "a/b", condition: .matches("x"))
        let error = try await failure {
            try await store.put(ObjectContent([1]), at: ObjectKey("a"), options, report: nil)
        }
        #expect(error.code == .unsupported && server.requests == [])
        try await store.put([1], at: ObjectKey("a"), contentType: "a/b")
    }

    @Test(
        "what cannot be an address is sent nowhere",
        arguments: ["", "dav.example.com", "ftp://a/b", "http://me:pass@a/b"]
    )
    func addresses(text: String) async throws {
        let store = WebDAVObjectStore(client: SimulatedNetwork().host("phone")) {
            () throws(SecretStoreError) in
            WebDAVConfiguration(address: text, login: Secret(ScriptedDAV.login))
        }
        let error = try await failure { _ = try await store.info(ObjectKey("a")) }
        #expect(error.code == .notConfigured && !error.description.contains("pass@"))
    }
}
