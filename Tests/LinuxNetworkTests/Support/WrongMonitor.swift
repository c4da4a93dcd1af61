import Conformance
import NetworkMonitorConformance
import Services
import Synchronization

/// A monitor in memory, which violates one requirement, or none.
final class WrongMonitor: NetworkMonitor {
    enum Flaw: String, CaseIterable {
        /// Says that there is a network, whatever there is.
        case alwaysConnected
        /// Says that there is none, whatever there is.
        case neverConnected
        /// Keeps what it has said first of now.
        case staleNow
        /// Waits for a change.
        case nothingAtFirst
        /// Begins with a network for each reader.
        case beginsConnected
        /// Reports that a network has gone, and not that it has come.
        case onlyLosses
        /// Reports each change twice.
        case doubled
        /// Reports what is known already.
        case repeatsItself
        /// Has one reader.
        case oneReader
        /// Begins with all that was ever reported.
        case replays
        /// Takes readers up after they have had their first value.
        case registersLate
        /// Keeps the oldest for a reader that is behind.
        case keepsOldest
        /// Does not notice that its reader has gone.
        case ignoresCancellation
        /// Ends all readers with one.
        case endsAll
        /// Never ends a reader.
        case neverEnds
        /// Has nothing for readers that come after the end.
        case nothingAfterTheEnd
        /// Has later readers wait forever.
        case laterReadersWait
        /// Has readers wait although nothing changes.
        case constantWaits
    }

    private struct State {
        var isConnected: Bool
        var hasEnded = false
        var readers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var count = 0
        var history: [Bool]
    }

    private let flaw: Flaw?
    private let wasConnected: Bool
    private let state: Mutex<State>

    init(_ flaw: Flaw?, isConnected: Bool) {
        self.flaw = flaw
        wasConnected = isConnected
        state = Mutex(State(isConnected: isConnected, history: [isConnected]))
    }

    var isConnected: Bool {
        switch flaw {
        case .alwaysConnected: true
        case .neverConnected: false
        case .staleNow: wasConnected
        default: state.withLock { $0.isConnected }
        }
    }

    func report(_ isConnected: Bool) {
        state.withLock { state in
            guard flaw == .repeatsItself || state.isConnected != isConnected else { return }
            state.isConnected = isConnected
            state.history.append(isConnected)
            if flaw == .onlyLosses, isConnected { return }
            for reader in state.readers.values {
                reader.yield(isConnected)
                if flaw == .doubled { reader.yield(isConnected) }
            }
        }
    }

    func end() {
        let readers = state.withLock { state in
            state.hasEnded = true
            return state.readers.map(\.value)
        }
        if flaw != .neverEnds { for reader in readers { reader.finish() } }
    }

    func changes() -> AsyncStream<Bool> {
        guard flaw == .ignoresCancellation else { return stream() }
        let stream = stream()
        return AsyncStream {
            // The one who waits is another task than the one that is cancelled.
            await Task { await stream.first { _ in true } }.value
        }
    }

    private func stream() -> AsyncStream<Bool> {
        let (stream, reader) = AsyncStream.makeStream(
            of: Bool.self,
            bufferingPolicy: flaw == .keepsOldest ? .bufferingOldest(4) : .bufferingNewest(16)
        )
        let hasEnded = state.withLock { state in
            first(state).forEach { reader.yield($0) }
            if flaw != .registersLate { register(reader, &state) }
            return state.hasEnded
        }
        if hasEnded, flaw != .neverEnds, flaw != .laterReadersWait { reader.finish() }
        if flaw == .registersLate {
            Task { [weak self] in self?.state.withLock { self?.register(reader, &$0) } }
        }
        return stream
    }

    /// What a reader begins with.
    private func first(_ state: State) -> [Bool] {
        switch flaw {
        case .nothingAtFirst: []
        case .nothingAfterTheEnd where state.hasEnded: []
        case .beginsConnected: [true]
        case .replays: state.history
        default: [state.isConnected]
        }
    }

    private func register(_ reader: AsyncStream<Bool>.Continuation, _ state: inout State) {
        if flaw == .oneReader { state.readers = [:] }
        state.count += 1
        let number = state.count
        state.readers[number] = reader
        reader.onTermination = { [weak self] _ in
            let others = self?.state.withLock { state in
                state.readers[number] = nil
                return self?.flaw == .endsAll ? state.readers.map(\.value) : []
            }
            for other in others ?? [] { other.finish() }
        }
    }
}

struct WrongMonitorHarness: NetworkMonitorHarness {
    let flaw: WrongMonitor.Flaw?
    let patience = Duration.seconds(20)
    let capabilities = Set(NetworkMonitorCapability.allCases)

    func makeMonitor(isConnected: Bool) async throws -> WrongMonitor {
        WrongMonitor(flaw, isConnected: isConnected)
    }

    func makeConstantMonitor() async throws -> WrongMonitor {
        let monitor = WrongMonitor(flaw, isConnected: true)
        if flaw != .constantWaits { monitor.end() }
        return monitor
    }

    func change(_ monitor: WrongMonitor, to isConnected: Bool) async throws { monitor.report(isConnected) }
    func disturb(_ monitor: WrongMonitor) async throws { monitor.report(monitor.isConnected) }
    func end(_ monitor: WrongMonitor) async throws { monitor.end() }
}
