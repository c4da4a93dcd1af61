import HTTPTypes
import Testing
import Transport

/// A transport with one flaw, over one that has none.
struct WrongTransport: Transport {
    enum Flaw: String, CaseIterable, CustomTestStringConvertible {
        case losesTheLastByteOfBodies, endsShortBodiesInSilence, refusedIsReset, neverTimesOut,
            cannotBeCancelled
        case hidesTheStatusOfRefusals, losesTheLastByteOfMessages, givesTextAsBytes, everyEndIsNormal
        case endsOnlyOnce, sendsAfterTheEnd, cancelledIsClosed

        var testDescription: String { rawValue }
    }

    let base: any Transport
    let flaw: Flaw

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let base = base
        var body = body
        if flaw == .losesTheLastByteOfBodies {
            body = .bytes(try await body.collect(upTo: 1 << 20).dropLast())
        }
        let sent = body
        let limits = flaw == .neverTimesOut ? HTTPLimits(each: .seconds(5000)) : limits
        do throws(TransportError) {
            guard flaw == .cannotBeCancelled else {
                let answer = try await base.send(request, body: sent, limits: limits)
                return flaw == .endsShortBodiesInSilence
                    ? (answer.head, try await ended(answer.body)) : answer
            }
            let answer = Task { () async -> Result<(head: HTTPResponse, body: HTTPBody), TransportError> in
                do throws(TransportError) {
                    return .success(try await base.send(request, body: sent, limits: limits))
                } catch {
                    return .failure(error)
                }
            }
            return try await answer.value.get()
        } catch {
            guard flaw == .refusedIsReset, error.code == .refused else { throw error }
            throw TransportError(.reset, operation: error.operation, peer: error.peer)
        }
    }

    /// What comes of a body before it breaks.
    private func ended(_ body: HTTPBody) async throws(TransportError) -> HTTPBody {
        var bytes: [UInt8] = []
        do { for try await chunk in try await body.chunks() { bytes += chunk } } catch {}
        return .bytes(bytes)
    }

    func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        do throws(TransportError) {
            return WrongWebSocket(
                base: try await base.connect(request, limits: limits, timeout: timeout),
                flaw: flaw
            )
        } catch {
            var error = error
            if flaw == .hidesTheStatusOfRefusals { error.status = nil }
            if flaw == .refusedIsReset, error.code == .refused { error.code = .reset }
            throw error
        }
    }

    func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        try await base.bind(address, options: options)
    }

    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        try await base.resolve(address)
    }

    func interfaces() async throws(TransportError) -> [NetworkInterface] { try await base.interfaces() }
}

private struct WrongWebSocket: WebSocket {
    let base: any WebSocket
    let flaw: WrongTransport.Flaw

    func send(text: String) async throws(TransportError) {
        do throws(TransportError) { try await base.send(text: text) } catch {
            if flaw != .sendsAfterTheEnd { throw error }
        }
    }

    func send(binary: [UInt8]) async throws(TransportError) {
        try await base.send(binary: flaw == .losesTheLastByteOfMessages ? Array(binary.dropLast()) : binary)
    }

    func ping(timeout: Duration) async throws(TransportError) { try await base.ping(timeout: timeout) }

    func receive() async throws(TransportError) -> WebSocketEvent {
        let event: WebSocketEvent
        do throws(TransportError) { event = try await base.receive() } catch {
            throw flaw == .cancelledIsClosed
                ? TransportError(.closed, operation: "receive", peer: error.peer) : error
        }
        switch event {
        case .text(let text) where flaw == .givesTextAsBytes: return .binary(Array(text.utf8))
        case .closed where flaw == .everyEndIsNormal: return .closed(.normal)
        case .closed where flaw == .endsOnlyOnce:
            let again = try await base.receive()
            return again == event ? .closed(.abnormal) : again
        default: return event
        }
    }

    func close(_ close: WebSocketClose) async { await base.close(close) }
}
