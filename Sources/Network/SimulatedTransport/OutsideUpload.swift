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
                let reading: Int
                let supply: Bridge.Supply
                do throws(TransportError) {
                    switch demand {
                    case .over: return
                    case .beginning(let number):
                        reading = number
                        chunks = try await body.chunks().makeAsyncIterator()
                        supply = .opened
                    case .chunk(let number):
                        reading = number
                        supply = try await chunks?.next().map { .chunk($0) } ?? .end
                    }
                } catch {
                    supply = .failure(error)
                }
                demand = await outside {
                    bridge.give(supply, to: reading)
                    return await bridge.demand()
                }
            }
        }
        let open: @Sendable () async throws(TransportError) -> ByteStream = {
            () async throws(TransportError) in
            let reading = try await bridge.begin()
            return ByteStream { () async throws(TransportError) in
                _ = release
                guard case .chunk(let bytes) = try await bridge.chunk(of: reading) else { return nil }
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
///
/// A request that is sent again reads the body once more, maybe while its first reading still waits for a chunk. The
/// readings are numbered: only the newest one gets anything, and what was made for an older one is dropped.
private final class Bridge: Sendable {
    enum Demand: Sendable {
        case beginning(Int)
        case chunk(Int)
        /// Nothing more is wanted.
        case over
    }

    enum Supply: Sendable {
        case opened
        case chunk([UInt8])
        case end
        case failure(TransportError)
    }

    private typealias Reader = CheckedContinuation<Supply, Never>

    private struct State {
        /// The number of the newest reading.
        var reading = 0
        var demand: Demand?
        var bringer: CheckedContinuation<Demand, Never>?
        /// Waits for what the newest reading asked for.
        var reader: Reader?
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

    /// Brings what a reading asked for; does nothing when that reading does not wait for it any more.
    func give(_ supply: Supply, to reading: Int) {
        let reader = state.withLock { $0.reading == reading ? $0.reader.take() : nil }
        reader?.resume(returning: supply)
    }

    /// Begins a reading, which ends the one before, and gives its number.
    func begin() async throws(TransportError) -> Int {
        let (reading, former) = state.withLock { state in
            state.reading += 1
            state.demand = nil
            return (state.reading, state.reader.take())
        }
        former?.resume(returning: .failure(Self.cancelled))
        _ = try await ask(.beginning(reading), of: reading)
        return reading
    }

    /// Asks for the next chunk of a reading.
    func chunk(of reading: Int) async throws(TransportError) -> Supply {
        try await ask(.chunk(reading), of: reading)
    }

    /// Asks for something and waits for it.
    private func ask(_ demand: Demand, of reading: Int) async throws(TransportError) -> Supply {
        let supply = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Reader) in
                let (bringer, isAsked) = state.withLock { state in
                    // The cancellation handler may have run before the reader is registered.
                    if state.isOver || state.reading != reading || Task.isCancelled {
                        return (CheckedContinuation<Demand, Never>?.none, false)
                    }
                    state.reader = continuation
                    if state.bringer == nil { state.demand = demand }
                    return (state.bringer.take(), true)
                }
                if !isAsked { continuation.resume(returning: .failure(Self.cancelled)) }
                bringer?.resume(returning: demand)
            }
        } onCancel: {
            stop(reading)
        }
        if case .failure(let error) = supply { throw error }
        return supply
    }

    /// Ends the wait of a reading; another one may begin.
    private func stop(_ reading: Int) {
        let reader: Reader? = state.withLock { state in
            guard state.reading == reading else { return nil }
            state.demand = nil
            return state.reader.take()
        }
        reader?.resume(returning: .failure(Self.cancelled))
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
