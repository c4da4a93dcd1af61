import Conformance
import PushReceiverConformance
import Services
import Synchronization
import TestSupport

/// A receiver in memory, which violates one requirement, or none.
final class WrongReceiver: PushReceiver {
    enum Flaw: String, CaseIterable {
        /// Says no when it is asked again.
        case forgetsPermission
        /// Has a token although the person has said no.
        case tokenInSpiteOfNo
        /// Has a token before anybody was asked.
        case tokenBefore
        /// Forgets readers that wait for a token.
        case forgetsWaiting
        /// Keeps the first token for new readers.
        case staleToken
        /// Tells nobody of another token.
        case silentChange
        /// Ends all streams of tokens with one.
        case endsAll
        /// Writes payloads again.
        case rewritesPayload
        /// Shows nothing to the person.
        case showsNothing
        /// Gives all notifications one ID.
        case oneID
        /// Has one reader of arrivals.
        case oneReader
        /// Gives new readers what has arrived before.
        case replays
        /// Takes arrivals for taps.
        case tapsItself
        /// Shows what comes again.
        case showsAgain
        /// Loses what is sent while it is not connected.
        case losesOutage
        /// Loses taps that nobody waits for.
        case losesTaps
        /// Gives waiting taps to each reader.
        case keepsTaps
        /// Gives waiting taps in the order of a stack.
        case stacksTaps
        /// Gives taps without their payload.
        case emptyTaps
    }

    private struct State {
        var isGranted = false
        var questions = 0
        var token: [UInt8] = [1]
        var tokenReaders: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var count = 0
        var shown: [PushNotification] = []
        var arrivalReaders: [AsyncStream<PushNotification>.Continuation] = []
        var tapReader: AsyncStream<PushNotification>.Continuation?
        var untaken: [PushNotification] = []
        var isInterrupted = false
    }

    let flaw: Flaw?
    private let isAllowed: Bool
    private let state = Mutex(State())

    init(_ flaw: Flaw?, isAllowed: Bool) { (self.flaw, self.isAllowed) = (flaw, isAllowed) }

    // MARK: The device

    var shown: [String] { flaw == .showsNothing ? [] : state.withLock { $0.shown.map(\.id) } }

    func changeToken() {
        state.withLock { state in
            state.token = [2]
            if flaw != .silentChange { for reader in state.tokenReaders.values { reader.yield([2]) } }
        }
    }

    func interrupt() { state.withLock { $0.isInterrupted = true } }

    func deliver(_ notification: PushNotification) {
        var notification = notification
        if flaw == .rewritesPayload { notification.payload = Array(#"{"aps":{}}"#.utf8) }
        if flaw == .oneID { notification.id = "1" }
        state.withLock { state in
            if state.isInterrupted, flaw == .losesOutage { return }
            if state.shown.contains(where: { $0.id == notification.id }), flaw != .showsAgain, flaw != .oneID
            {
                return
            }
            state.shown.append(notification)
            for reader in state.arrivalReaders { reader.yield(notification) }
            if flaw == .tapsItself { state.tapReader?.yield(notification) }
        }
    }

    func tap(_ notification: PushNotification) {
        var notification = notification
        if flaw == .emptyTaps { notification.payload = [] }
        state.withLock { state in
            if let reader = state.tapReader {
                reader.yield(notification)
            } else if flaw != .losesTaps {
                state.untaken.append(notification)
            }
        }
    }

    // MARK: The app

    func requestAuthorization() async -> Bool {
        state.withLock { state in
            state.questions += 1
            state.isGranted = isAllowed
            if flaw == .forgetsPermission, state.questions > 1 { return false }
            if isAllowed || flaw == .tokenInSpiteOfNo, flaw != .forgetsWaiting {
                for reader in state.tokenReaders.values { reader.yield(state.token) }
            }
            return isAllowed
        }
    }

    func deviceTokens() -> AsyncStream<[UInt8]> {
        let (stream, reader) = AsyncStream.makeStream(of: [UInt8].self)
        let number = state.withLock { state in
            let mayHave =
                state.isGranted || flaw == .tokenBefore && isAllowed
                || flaw == .tokenInSpiteOfNo && state.questions > 0
            if mayHave { reader.yield(flaw == .staleToken ? [1] : state.token) }
            state.count += 1
            state.tokenReaders[state.count] = reader
            return state.count
        }
        reader.onTermination = { [weak self] _ in
            guard let self else { return }
            let others = state.withLock { state in
                state.tokenReaders[number] = nil
                return flaw == .endsAll ? Array(state.tokenReaders.values) : []
            }
            for other in others { other.finish() }
        }
        return stream
    }

    func arrivals() -> AsyncStream<PushNotification> {
        let (stream, reader) = AsyncStream.makeStream(of: PushNotification.self)
        state.withLock { state in
            if flaw == .replays { for old in state.shown { reader.yield(old) } }
            if flaw == .oneReader, !state.arrivalReaders.isEmpty { return }
            state.arrivalReaders.append(reader)
        }
        return stream
    }

    func taps() -> AsyncStream<PushNotification> {
        let (stream, reader) = AsyncStream.makeStream(of: PushNotification.self)
        state.withLock { state in
            for tap in flaw == .stacksTaps ? state.untaken.reversed() : state.untaken { reader.yield(tap) }
            if flaw != .keepsTaps { state.untaken = [] }
            state.tapReader = reader
        }
        return stream
    }
}

struct WrongReceiverHarness: PushReceiverHarness {
    let capabilities = Set(PushReceiverCapability.allCases)
    let flaw: WrongReceiver.Flaw?
    private let sent = Box<PushNotification?>(nil)

    init(flaw: WrongReceiver.Flaw?) { self.flaw = flaw }

    func makeReceiver(allowing isAllowed: Bool) async throws -> WrongReceiver {
        WrongReceiver(flaw, isAllowed: isAllowed)
    }

    func send(_ notification: PushNotification, to receiver: WrongReceiver) async throws {
        receiver.deliver(notification)
        sent.set(notification)
    }

    func tap(_ notification: PushNotification, on receiver: WrongReceiver) async throws {
        receiver.tap(notification)
    }
    func shown(on receiver: WrongReceiver) async throws -> [String] { receiver.shown }
    func changeToken(of receiver: WrongReceiver) async throws { receiver.changeToken() }
    func interrupt(_ receiver: WrongReceiver) async throws { receiver.interrupt() }

    func repeatLast(to receiver: WrongReceiver) async throws {
        if let last = sent.value { receiver.deliver(last) }
    }
}
