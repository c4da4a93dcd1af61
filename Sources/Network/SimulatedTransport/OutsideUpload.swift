import Simulation
import Synchronization
import Transport

/// A body of a simulation on its way to the real world.
///
/// Its source belongs to the simulation, and so does the task that reads it: the real world asks for a chunk, and the
/// task brings it. One chunk is on its way at a time.
enum OutsideUpload {
    /// The body as the real world reads it, with the task that brings its chunks.
    static func leaving(_ body: HTTPBody) -> (body: HTTPBody, task: Task<Void, Never>?) {
        switch body {
        case .empty, .bytes: return (body, nil)
        case .stream, .repeatable: break
        }
        let bridge = Bridge()
        let release = Release(bridge)
        let task = Task {
            var chunks: ByteStream.Iterator?
            var demand = await outside { await bridge.demand() }
            while true {
                let supply: Bridge.Supply
                do throws(TransportError) {
                    switch demand {
                    case .over: return
                    case .beginning:
                        chunks = try await body.chunks().makeAsyncIterator()
                        supply = .opened
                    case .chunk: supply = try await chunks?.next().map { .chunk($0) } ?? .end
                    }
                } catch {
                    supply = .failure(error)
                }
                demand = await outside {
                    bridge.give(supply)
                    return await bridge.demand()
                }
            }
        }
        let open: @Sendable () async throws(TransportError) -> ByteStream = {
            () async throws(TransportError) in
            _ = try await bridge.ask(.beginning)
            return ByteStream { () async throws(TransportError) in
                _ = release
                guard case .chunk(let bytes) = try await bridge.ask(.chunk) else { return nil }
                return bytes
            }
        }
        if body.isRepeatable { return (.repeatable(length: body.length, open: open), task) }
        return (.stream(.opening(open), length: body.length), task)
    }

    private static func outside<Value: Sendable>(
        _ operation: @escaping @concurrent @Sendable () async -> Value
    ) async -> Value {
        await Simulation.outside(operation)
    }

    /// Ends the task once the real world holds the body no more.
    private final class Release: Sendable {
        private let bridge: Bridge

        init(_ bridge: Bridge) { self.bridge = bridge }

        deinit { bridge.end() }
    }
}

/// Where the real world asks for chunks, and where they are brought; used in the real world alone.
private final class Bridge: Sendable {
    enum Demand: Sendable {
        case beginning
        case chunk
        /// Nothing more is wanted.
        case over
    }

    enum Supply: Sendable {
        case opened
        case chunk([UInt8])
        case end
        case failure(TransportError)
    }

    private struct State {
        var demand: Demand?
        var bringer: CheckedContinuation<Demand, Never>?
        var reader: CheckedContinuation<Supply, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Waits until something is wanted.
    func demand() async -> Demand {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Demand? = state.withLock { state in
                    if state.isOver { return .over }
                    if let demand = state.demand.take() { return demand }
                    state.bringer = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            end()
        }
    }

    func give(_ supply: Supply) {
        let reader = state.withLock { $0.reader.take() }
        reader?.resume(returning: supply)
    }

    /// Asks for something and waits for it.
    func ask(_ demand: Demand) async throws(TransportError) -> Supply {
        let supply = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (bringer, isOver) = state.withLock { state in
                    if state.isOver { return (CheckedContinuation<Demand, Never>?.none, true) }
                    state.reader = continuation
                    if state.bringer == nil { state.demand = demand }
                    return (state.bringer.take(), false)
                }
                if isOver { continuation.resume(returning: .failure(Self.cancelled)) }
                bringer?.resume(returning: demand)
            }
        } onCancel: {
            end()
        }
        if case .failure(let error) = supply { throw error }
        return supply
    }

    /// Nothing more is wanted, or nothing more will come.
    func end() {
        let (bringer, reader) = state.withLock { state in
            state.isOver = true
            return (state.bringer.take(), state.reader.take())
        }
        bringer?.resume(returning: .over)
        reader?.resume(returning: .failure(Self.cancelled))
    }

    private static let cancelled = TransportError(.cancelled, operation: "send body", peer: "server")
}
