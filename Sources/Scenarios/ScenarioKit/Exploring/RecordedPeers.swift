import HTTPTypes
import SessionRecording
import SimulatedTransport
import Transport

/// The way of a recorded program to its peers on a simulated network, each of which is a host of its own.
///
/// A request finds its conversation by what it asks. One that the recording does not have is refused, as by a peer that is away; where the
/// recording was cut off, it has no answer.
struct RecordedPeers: Transport {
    private let phone: SimulatedHost
    private let answers: RecordedAnswers
    /// Where a host of the network is found that stands for a place of the recording.
    ///
    /// By its address where the recorded program used one, which needs no name.
    private let places: [String: String]
    private let isCutOff: Bool

    /// Puts a host for each place where requests went onto a network.
    ///
    /// - Parameters:
    ///   - traffic: What was recorded.
    ///   - network: The network, which has the device.
    ///   - phone: The device.
    ///   - departures: Decides when things come.
    ///   - isCutOff: Whether the recording says nothing about what came after its end.
    init(
        _ traffic: RecordedTraffic,
        on network: SimulatedNetwork,
        from phone: SimulatedHost,
        departures: Departures,
        isCutOff: Bool
    ) async throws(TransportError) {
        (self.phone, self.isCutOff) = (phone, isCutOff)
        answers = traffic.answers()
        var places: [String: String] = [:]
        for authority in traffic.authorities {
            let name = Self.hostName(of: authority)
            let host = network.host(name)
            _ = try await host.listen(
                RecordedPeer(answers: answers, departures: departures),
                at: SocketAddress(host: name, port: Self.port)
            )
            let isAddress = SocketAddress(authority: authority, port: Self.port)?.endpoint != nil
            places[authority] = isAddress ? host.addresses.first { $0.version == .v4 }?.description : name
        }
        self.places = places
    }

    private static let port = 80

    /// What the host is called that stands for a peer: that is no address, which may be the device's own, and a port is part of it.
    static func hostName(of authority: String) -> String {
        String(authority.map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" })
    }

    // MARK: Requests

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let found = answers.conversation(for: request, body: body)
        let directed = try await directed(request, to: found, scheme: "http")
        do throws(TransportError) {
            let answer = try await phone.send(directed, body: body, limits: limits)
            return (found?.response ?? answer.head, answer.body)
        } catch { throw error.naming(request, in: directed) }
    }

    func connect(
        _ request: HTTPRequest,
        limits: WebSocketLimits,
        timeout: Duration
    ) async throws(TransportError) -> any WebSocket {
        let directed = try await directed(request, to: answers.webSocket(for: request), scheme: "ws")
        do throws(TransportError) {
            return try await phone.connect(directed, limits: limits, timeout: timeout)
        } catch { throw error.naming(request, in: directed) }
    }

    /// The request as it goes to the host that has its conversation.
    ///
    /// - Throws: What came of it in the recording without an answer, and `refused` where it is not in there.
    private func directed(
        _ request: HTTPRequest,
        to found: RecordedConversation?,
        scheme: String
    ) async throws(TransportError) -> HTTPRequest {
        let authority = request.authority ?? ""
        guard found != nil || isCutOff, let place = places[authority] else {
            throw TransportError(
                .refused,
                operation: "connect",
                peer: authority,
                detail: "\(request.loggedURL) is not in the recording"
            )
        }
        if let failure = found?.failure {
            do { try await Task.sleep(for: failure.gap) } catch {
                throw TransportError(.cancelled, operation: "connect", peer: authority)
            }
            throw failure.error
        }
        var directed = request
        directed.scheme = scheme
        directed.authority = "\(place):\(Self.port)"
        directed.headerFields[RecordedPeer.number] = found.map { "\($0.number)" }
        return directed
    }

    // MARK: The host

    func resolve(_ address: SocketAddress) async throws(TransportError) -> [Endpoint] {
        if let known = try answers.endpoints(of: address) ?? address.endpoint.map({ [$0] }) { return known }
        throw TransportError(
            .unreachable,
            operation: "resolve name",
            peer: "\(address)",
            detail: "the recording has no look-up of it"
        )
    }

    func interfaces() async throws(TransportError) -> [NetworkInterface] { try answers.interfaces() }

    func bind(
        _ address: SocketAddress,
        options: DatagramOptions
    ) async throws(TransportError) -> any DatagramSocket {
        throw TransportError(
            .addressUnavailable,
            operation: "bind",
            peer: "\(address)",
            detail: "the recording has no datagrams"
        )
    }
}

extension TransportError {
    /// The same, with the peer as the program knows it.
    fileprivate func naming(_ request: HTTPRequest, in directed: HTTPRequest) -> TransportError {
        var error = self
        error.peer = peer.replacing(directed.authority ?? "", with: request.authority ?? "")
        return error
    }
}
