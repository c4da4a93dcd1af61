import SimulationTesting
import Synchronization
import _ConnectionPoolModule

/// A connection to a server that may close it at any moment, and that takes its time to close.
final class MockConnection: PooledConnection {
    private struct State {
        var isClosing = false
        var isClosed = false
        var handlers: [@Sendable ((any Error)?) -> Void] = []
    }

    let id: Int
    private let state = Mutex(State())

    init(id: Int) { self.id = id }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    func onClose(_ closure: @escaping @Sendable ((any Error)?) -> Void) {
        let isClosed = state.withLock {
            if !$0.isClosed { $0.handlers.append(closure) }
            return $0.isClosed
        }
        if isClosed { closure(nil) }
    }

    /// The client's end closes; the server answers a little later.
    func close() {
        let begins = state.withLock { state in
            defer { state.isClosing = true }
            return !state.isClosing
        }
        guard begins else { return }
        Task {
            try? await Task.sleep(for: .milliseconds(.random(in: 0...3)))
            self.closed(by: nil)
        }
    }

    /// The connection is gone, by whomever.
    func closed(by error: (any Error)?) {
        let handlers = state.withLock { state in
            state.isClosing = true
            state.isClosed = true
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler(error) }
    }
}

struct ServerGone: Error {}

struct MockKeepAlive: ConnectionKeepAliveBehavior {
    var keepAliveFrequency: Duration?

    func runKeepAlive(for connection: MockConnection) async throws {
        try await Task.sleep(for: .milliseconds(.random(in: 0...8)))
        if connection.isClosed { throw ServerGone() }
    }
}

/// A pool, a server and clients that lease, hold and release.
struct PoolWorld {
    typealias Pool = ConnectionPool<
        MockConnection, Int, ConnectionIDGenerator, ConnectionRequest<MockConnection>, Int, MockKeepAlive,
        NoOpConnectionPoolMetrics<Int>, ContinuousClock
    >

    /// How often a connection is tested while it is idle.
    var keepAlive: Duration?
    /// One attempt to connect of so many fails.
    var refusesOneOf: Int?
    /// After how many milliseconds at most the server closes a connection.
    var serverCloses: Int?
    var clients = 4
    var leases = 4

    private static func configuration() -> ConnectionPoolConfiguration {
        var configuration = ConnectionPoolConfiguration()
        configuration.minimumConnectionCount = .random(in: 0...1)
        configuration.maximumConnectionSoftLimit = .random(in: 1...2)
        configuration.maximumConnectionHardLimit =
            configuration.maximumConnectionSoftLimit + .random(in: 0...1)
        configuration.idleTimeout = .milliseconds(.random(in: 5...20))
        return configuration
    }

    /// Every client gets every connection it asks for, and the pool ends when its task is cancelled.
    func run() async throws {
        let world = self
        let pool = Pool(
            configuration: Self.configuration(),
            idGenerator: ConnectionIDGenerator(),
            keepAliveBehavior: MockKeepAlive(keepAliveFrequency: keepAlive),
            observabilityDelegate: NoOpConnectionPoolMetrics(connectionIDType: Int.self),
            clock: ContinuousClock()
        ) { id, _ in try await world.connect(id) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await pool.run() }
            await withTaskGroup(of: Void.self) { clients in
                for _ in 0..<world.clients { clients.addTask { await world.client(of: pool) } }
            }
            group.cancelAll()
        }
    }

    private func connect(_ id: Int) async throws -> ConnectionAndMetadata<MockConnection> {
        try await Task.sleep(for: .milliseconds(.random(in: 0...5)))
        if let refusesOneOf, .random(in: 1...refusesOneOf) == 1 { throw ServerGone() }
        let connection = MockConnection(id: id)
        if let serverCloses {
            Task {
                try? await Task.sleep(for: .milliseconds(Int.random(in: 0...serverCloses)))
                connection.closed(by: ServerGone())
            }
        }
        return ConnectionAndMetadata(connection: connection, maximalStreamsOnConnection: 1)
    }

    private func client(of pool: Pool) async {
        for _ in 0..<leases {
            try? await pool.withConnection { _ in
                try await Task.sleep(for: .milliseconds(.random(in: 0...10)))
            }
            try? await Task.sleep(for: .milliseconds(.random(in: 0...20)))
        }
    }
}
