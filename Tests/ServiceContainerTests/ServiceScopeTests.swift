import ServiceContainer
import Synchronization
import Testing

/// What happened, in order.
private final class Journal: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A service that writes down what becomes of it.
private final class Part: Startable {
    struct Broken: Error {}

    let name: String
    let needs: [Part]
    private let journal: Journal
    private let failsToStart: Bool

    init(_ name: String, _ journal: Journal, needs: [Part] = [], failsToStart: Bool = false) {
        self.name = name
        self.needs = needs
        self.journal = journal
        self.failsToStart = failsToStart
        journal.note("make \(name)")
    }

    func start() async throws {
        journal.note("start \(name)")
        if failsToStart { throw Broken() }
    }

    func stop() async { journal.note("stop \(name)") }
}

@Suite("Service scope")
struct ServiceScopeTests {
    private let journal = Journal()
    private let network: ServiceKey<Part>
    private let storage: ServiceKey<Part>
    private let app: ServiceKey<Part>

    init() {
        let (journal, network) = (journal, ServiceKey<Part>.network(journal))
        let storage = ServiceKey<Part>(
            "storage",
            live: { Part("storage", journal, needs: [try $0[network]]) }
        )
        self.network = network
        self.storage = storage
        app = ServiceKey("app", live: { Part("app", journal, needs: [try $0[storage], try $0[network]]) })
    }

    @Test("services are made when asked for, each once, what they need before them")
    func lazyOnce() async throws {
        let scope = ServiceScope("root", .live)
        #expect(journal.all.isEmpty)
        let app = try await scope[app]
        #expect(journal.all == ["make network", "make storage", "make app"])
        #expect(try await scope[self.app] === app)
        #expect(try await scope[network] === app.needs[1])
        #expect(app.needs[0].needs[0] === app.needs[1])
    }

    @Test("many that ask at once get one instance")
    func concurrent() async throws {
        let scope = ServiceScope("root", .live)
        let found = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<100 { group.addTask { ObjectIdentifier(try await scope[app]) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(found.count == 1)
        #expect(journal.all.count == 3)
    }

    @Test("each world has its own default")
    func worlds() async throws {
        #expect(try await ServiceScope("a", .live)[network].name == "network")
        #expect(try await ServiceScope("b", .simulated)[network].name == "simulated network")
    }

    @Test("what has no recipe is an error that names the chain")
    func missing() async {
        let error = await #expect(throws: ServiceError.self) {
            try await ServiceScope("root", .simulated)[app]
        }
        #expect(error == ServiceError(.missing, chain: ["app"]))
        let inner = ServiceKey<Int>("inner")
        let middle = ServiceKey<Int>("middle", live: { try $0[inner] })
        let outer = ServiceKey<Int>("outer", live: { try $0[middle] })
        let deep = await #expect(throws: ServiceError.self) { try await ServiceScope("root", .live)[outer] }
        #expect(deep == ServiceError(.missing, chain: ["outer", "middle", "inner"]))
        #expect(deep?.description.contains("outer → middle → inner") == true)
    }

    @Test("services that need each other are an error that names the circle")
    func cycle() async {
        enum Loop {
            static let first: ServiceKey<Int> = ServiceKey("first", live: { try $0[second] })
            static let second: ServiceKey<Int> = ServiceKey("second", live: { try $0[third] })
            static let third: ServiceKey<Int> = ServiceKey("third", live: { try $0[first] })
        }
        let error = await #expect(throws: ServiceError.self) {
            try await ServiceScope("root", .live)[Loop.first]
        }
        #expect(error == ServiceError(.cyclic, chain: ["first", "second", "third", "first"]))
    }

    @Test("a recipe's own error keeps its words, and may be overcome by asking again")
    func recipeFailure() async throws {
        let attempts = Mutex(0)
        let key = ServiceKey<Int>(
            "flaky",
            live: { _ in
                let attempt = attempts.withLock {
                    $0 += 1; return $0
                }
                if attempt == 1 { throw Part.Broken() }
                return attempt
            }
        )
        let scope = ServiceScope("root", .live)
        let error = await #expect(throws: ServiceError.self) { try await scope[key] }
        #expect(error == ServiceError(.recipeFailed, chain: ["flaky"], detail: "Broken()"))
        #expect(try await scope[key] == 2)
    }

    @Test("what a test does not mention fails when it is used")
    func unmentioned() async throws {
        let scope = ServiceScope("test", .unmentioned, storage { [journal] _ in Part("fake", journal) })
        #expect(try await scope[storage].name == "fake")
        let error = await #expect(throws: ServiceError.self) { try await scope[network] }
        #expect(error == ServiceError(.unmentioned, chain: ["network"]))
        let standIn = ServiceKey<@Sendable () throws -> Int>(
            "clock",
            unmentioned: { _ in { throw ServiceError(.unmentioned, chain: ["clock"]) } }
        )
        let clock = try await scope[standIn]
        #expect(throws: ServiceError.self) { try clock() }
    }

    @Test("a child shares what its overrides do not touch, and remakes what they do")
    func children() async throws {
        let root = ServiceScope("root", .live)
        let rootApp = try await root[app]
        let plain = root.child("plain")
        #expect(try await plain[app] === rootApp)
        let child = root.child("child", storage(Part("child storage", journal)))
        let childApp = try await child[app]
        #expect(childApp !== rootApp)
        #expect(childApp.needs[0].name == "child storage")
        #expect(childApp.needs[1] === rootApp.needs[1])
        #expect(try await root[app] === rootApp)
        let grandchild = child.child("grandchild", network(Part("far network", journal)))
        #expect(try await grandchild[app].needs.map(\.name) == ["child storage", "far network"])
        #expect(try await child[app] === childApp)
    }

    @Test("what a child asks for first is shared with its parent, if made alike there")
    func sharedFromBelow() async throws {
        let root = ServiceScope("root", .live)
        let (left, right) = (root.child("left"), root.child("right", app(Part("own", journal))))
        let storage = try await left[storage]
        #expect(try await right[self.storage] === storage)
        #expect(try await root[self.storage] === storage)
        #expect(try await right[app].name == "own")
        #expect(try await root[app].name == "app")
    }

    @Test("services start after what they need, and stop in reverse")
    func startAndStop() async throws {
        let scope = ServiceScope("root", .live)
        try await scope.start(app)
        try await scope.start()
        #expect(journal.all.suffix(3) == ["start network", "start storage", "start app"])
        try await scope.stop()
        try await scope.stop()
        #expect(journal.all.suffix(3) == ["stop app", "stop storage", "stop network"])
        #expect(journal.all.count == 9)
    }

    @Test("when one fails to start, those that had started stop in reverse")
    func failedStart() async throws {
        let journal = journal
        let scope = ServiceScope(
            "root",
            .live,
            app { [storage] in Part("app", journal, needs: [try $0[storage]], failsToStart: true) }
        )
        let error = await #expect(throws: ServiceError.self) { try await scope.start(app) }
        #expect(error == ServiceError(.startFailed, chain: ["app"], detail: "Broken()"))
        #expect(
            journal.all.suffix(5)
                == ["start network", "start storage", "start app", "stop storage", "stop network"]
        )
        try await scope.stop()
        #expect(journal.all.last == "stop network")
    }

    @Test("a child's start reaches its parents, and a parent's stop its children")
    func nestedStart() async throws {
        let root = ServiceScope("root", .live)
        let child = root.child("child", storage { [journal] _ in Part("child storage", journal) })
        try await child.start(app)
        #expect(journal.all.suffix(3) == ["start network", "start child storage", "start app"])
        try await child.stop()
        #expect(journal.all.suffix(2) == ["stop app", "stop child storage"])
        try await child.start()
        try await root.stop()
        #expect(journal.all.suffix(3) == ["stop app", "stop child storage", "stop network"])
    }

    @Test("a start inside a start is refused, and disturbs nothing")
    func busy() async throws {
        final class Impatient: Startable {
            let scope = Mutex<ServiceScope?>(nil)
            let seen = Mutex<ServiceError?>(nil)
            func start() async throws {
                do throws(ServiceError) { try await scope.withLock { $0 }?.start() } catch {
                    seen.withLock { $0 = error }
                }
            }
            func stop() async {}
        }
        let service = Impatient()
        let scope = ServiceScope("root", .unmentioned, ServiceKey<Impatient>("impatient")(service))
        service.scope.withLock { $0 = scope }
        try await scope.start(ServiceKey<Impatient>("impatient"))
        #expect(service.seen.withLock { $0 } == ServiceError(.busy, chain: ["root"]))
        service.scope.withLock { $0 = nil }
        try await scope.stop()
    }
}

extension ServiceKey<Part> {
    fileprivate static func network(_ journal: Journal) -> Self {
        ServiceKey(
            "network",
            live: { _ in Part("network", journal) },
            simulated: { _ in Part("simulated network", journal) }
        )
    }
}
