import Concurrency
import PPPP
import Services
import Transport

/// One connection to a camera, from the search to its end: a socket, and the state machines behind it.
///
/// ``run()`` reads the socket and keeps time until the task is cancelled or the connection is over; meanwhile ``open()``,
/// ``request(_:within:)`` and ``close()`` are called.
actor CameraLink {
    /// What tells the time to the state machines; packets are sent again with this precision.
    private static let tick = Duration.milliseconds(50)
    private static let mostDatagrams = 64

    private let socket: any DatagramSocket
    private let credentials: VeepaCredentials
    private let options: VeepaOptions
    private let hear: @Sendable (MediaUnit, _ dropped: Int) -> Void

    private var seal: PacketSeal
    private var finder: PeerFinder
    private var session: Session?
    private var peer: Endpoint?
    private var dialect: any CameraDialect
    private var commands: CommandAssembler
    private var video: MediaAssembler
    private var audio: MediaAssembler
    private var foreign = 0
    /// Datagrams of the camera's that are no packets.
    private var broken = 0
    /// Whether directories are asked.
    private let isRemote: Bool
    private var isStreaming = false
    /// Dropped pictures of which ``hear`` was told.
    private var toldLosses = 0
    /// Requests without an answer, oldest first.
    private var pending: [Pending] = []
    private var nextRequest = 0
    /// Who waits for the way to the camera.
    private var opening: AsyncStream<Void>.Continuation?
    /// When the camera has to be found, or ready; `nil` before ``open(handshaking:)``, which begins the search.
    private var openingDeadline: ContinuousClock.Instant?
    /// When the last picture, or frame of video, came.
    private(set) var lastFrame: ContinuousClock.Instant
    /// Why it is over; `nil` while it goes on.
    private(set) var failure: VeepaConnectionError?
    /// Raised when the connection is over.
    let loss = WakeSignal()

    private struct Pending {
        var number: Int
        var command: CameraCommand
        var deadline: ContinuousClock.Instant
        var answer: AsyncStream<CameraReply>.Continuation
    }

    /// - Parameters:
    ///   - socket: Bound, and used by nobody else; ``close()`` closes it.
    ///   - targets: Where the camera is searched.
    ///   - own: The socket's addresses on the networks of this host.
    ///   - hear: Called for each whole frame, in order, with the number of pictures that were dropped before it.
    init(
        socket: any DatagramSocket,
        targets: [Endpoint],
        own: [Endpoint],
        _ credentials: VeepaCredentials,
        _ options: VeepaOptions,
        hear: @escaping @Sendable (MediaUnit, _ dropped: Int) -> Void
    ) {
        (self.socket, self.credentials, self.options, self.hear) = (socket, credentials, options, hear)
        if let key = credentials.service?.key {
            seal = PacketSeal(PacketCipher(key: key))
        } else {
            // The most likely key first; what a camera really has, its answer shows.
            let likely = PacketCipher(prefix: credentials.id.prefix).map { [$0] } ?? []
            seal = PacketSeal(likely + PacketCipher.known.filter { !likely.contains($0) })
        }
        let servers = credentials.service?.servers ?? []
        finder = PeerFinder(
            credentials.id,
            at: targets,
            through: servers.map { Endpoint($0, port: options.directoryPort) },
            own: own,
            now: .now
        )
        isRemote = !servers.isEmpty
        let framing = options.framing ?? CommandFraming(prefix: credentials.id.prefix)
        dialect = framing.makeDialect()
        commands = CommandAssembler(framing)
        video = MediaAssembler(mostBytes: options.frameBytes)
        audio = MediaAssembler(mostBytes: 64 * 1024)
        lastFrame = .now
    }

    // MARK: Running

    /// Reads the socket and keeps time until the task is cancelled or the connection is over.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read() }
            group.addTask { await self.keepTime() }
            await group.next()
            group.cancelAll()
        }
        end(VeepaConnectionError(.cancelled, operation: "hold the connection", camera: "\(credentials.id)"))
    }

    private func read() async {
        while failure == nil {
            do {
                let datagrams = try await socket.receive(atMost: Self.mostDatagrams)
                let now = ContinuousClock.now
                for datagram in datagrams { take(datagram, at: now) }
                // Once for all of them: what one packet carries is seldom more than a piece.
                for arrival in session?.takeArrivals() ?? [] { take(arrival) }
                if let over = session?.end { end(error(over)) }
            } catch {
                if error.code == .cancelled { return }
                return end(self.error(.network, "receive from the camera", error.code.rawValue))
            }
            await flush()
        }
    }

    private func keepTime() async {
        while failure == nil {
            advance(to: .now)
            await flush()
            do { try await Task.sleep(for: Self.tick) } catch { return }
        }
    }

    private func advance(to now: ContinuousClock.Instant) {
        if session != nil {
            session?.tick(at: now)
            if let over = session?.end { end(error(over)) }
        } else if let openingDeadline {
            finder.tick(at: now)
            if now >= openingDeadline { endOpening() }
        }
        for request in pending where request.deadline <= now { request.answer.finish() }
    }

    private func endOpening() {
        if finder.stage == .searching {
            let said = finder.verdict.map { "a directory says that it is \($0)" }
            end(error(.notFound, "find the camera", said ?? "nothing came in time"))
        } else {
            end(error(.timedOut, "open a way to the camera", "it was not ready in time"))
        }
    }

    /// Sends what the state machines want sent.
    private func flush() async {
        var datagrams: [([UInt8], Endpoint)] = []
        for outgoing in finder.takeOutgoing() {
            // Which form the camera understands shows when it is ready.
            for bytes in seal.closeAll(outgoing.packet) { datagrams.append((bytes, outgoing.destination)) }
        }
        if let peer {
            for packet in session?.takePackets() ?? [] { datagrams.append((seal.close(packet), peer)) }
        }
        for (bytes, destination) in datagrams {
            // What cannot be sent now is sent again, as what is lost on its way; a broken socket shows when it is read.
            try? await socket.send(bytes, to: destination)
        }
    }

    // MARK: What arrives

    private func take(_ datagram: Datagram, at now: ContinuousClock.Instant) {
        guard let peer else {
            // What was found before somebody waits for it would go unnoticed.
            guard openingDeadline != nil else { return }
            var opened = seal
            guard let packet = opened.open(datagram.bytes) else { return }
            let before = finder.stage
            finder.receive(packet, from: datagram.source, at: now)
            if case .connected(let camera) = finder.stage {
                // A relay answers in its own form, which says nothing about the camera's.
                if case .ready = packet { seal = opened }
                self.peer = camera
                var limits = SessionLimits()
                limits.joinsAcks = true
                session = Session(limits, at: now)
                opening?.finish()
            } else if before == .searching, finder.stage == .punching {
                // From afar, the first address that is tried need not be the right one.
                if !isRemote { openingDeadline = .now + options.handshakeTimeout }
                opening?.yield()
            }
            return
        }
        guard datagram.source == peer else {
            foreign += 1
            return
        }
        var opened = seal
        guard let packet = opened.open(datagram.bytes) else {
            broken += 1
            return
        }
        if case .relayReady = packet { return }
        seal = opened
        session?.receive(packet, at: now)
    }

    private func take(_ arrival: Session.Arrival) {
        switch arrival.channel {
        case 0: for message in commands.append(arrival.bytes) { take(message) }
        case 1: for unit in video.append(arrival.bytes) { take(unit) }
        case 2: for unit in audio.append(arrival.bytes) { take(unit) }
        default: break
        }
    }

    private func take(_ unit: MediaUnit) {
        if unit.kind == .audio { return hear(unit, 0) }
        lastFrame = .now
        // Some cameras do not answer the request for video otherwise.
        if let place = pending.firstIndex(where: { $0.command.isStart }) {
            let request = pending.remove(at: place)
            request.answer.yield(.done)
            request.answer.finish()
        }
        hear(unit, video.losses.frames - toldLosses)
        toldLosses = video.losses.frames
    }

    /// Says that frames are to be expected from now on.
    func expectFrames() {
        isStreaming = true
        lastFrame = .now
    }

    private func take(_ message: CommandMessage) {
        for place in pending.indices {
            if let reply = dialect.reply(to: pending[place].command, in: message, credentials) {
                let request = pending.remove(at: place)
                request.answer.yield(reply)
                request.answer.finish()
                return
            }
        }
    }

    // MARK: Asking

    /// Looks for the camera until it is ready.
    ///
    /// - Parameter handshaking: Called when it has answered.
    func open(handshaking: @Sendable () -> Void) async throws(VeepaConnectionError) {
        // The socket may have failed already: nobody would end the wait.
        if let failure { throw failure }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        opening = continuation
        openingDeadline = .now + (isRemote ? options.remoteTimeout : options.findTimeout)
        advance(to: .now)
        await flush()
        for await _ in stream { handshaking() }
        opening = nil
        await flush()
        if let failure { throw failure }
        if session == nil { throw error(.cancelled, "find the camera") }
    }

    /// Sends a command and waits for its answer.
    ///
    /// - Throws: `timedOut`, `linkLost`, `cancelled`, and what the dialect throws.
    func request(
        _ command: CameraCommand,
        within limit: Duration? = nil
    ) async throws(VeepaConnectionError) -> CameraReply {
        let (answers, continuation) = AsyncStream.makeStream(of: CameraReply.self)
        nextRequest += 1
        let number = nextRequest
        try send(command)
        pending.append(
            Pending(
                number: number,
                command: command,
                deadline: .now + (limit ?? options.replyTimeout),
                answer: continuation
            )
        )
        await flush()
        var answer: CameraReply?
        for await reply in answers { answer = reply }
        pending.removeAll { $0.number == number }
        if let answer { return answer }
        if let failure { throw failure }
        if Task.isCancelled { throw error(.cancelled, command.operation) }
        throw error(.timedOut, command.operation)
    }

    /// Sends a command whose answer nobody waits for.
    func send(_ command: CameraCommand) throws(VeepaConnectionError) {
        if let failure { throw failure }
        for message in try dialect.message(for: command, credentials) {
            guard session?.write(message.bytes(dialect.framing), to: 0, at: .now) == true else {
                throw error(.notConnected, command.operation)
            }
        }
    }

    /// Tells the camera that it is over, and closes the socket; never waits for the camera.
    func close() async {
        if isStreaming { try? send(.stopVideo) }
        session?.close()
        await flush()
        end(error(.cancelled, "hold the connection"))
        await socket.close()
    }

    // MARK: Ends

    private func end(_ reason: VeepaConnectionError) {
        if failure == nil { failure = reason }
        loss.raise()
        opening?.finish()
        for request in pending { request.answer.finish() }
    }

    private func error(
        _ code: VeepaConnectionError.Code,
        _ operation: String,
        _ detail: String = ""
    ) -> VeepaConnectionError {
        VeepaConnectionError(code, operation: operation, camera: "\(credentials.id)", detail: detail)
    }

    private func error(_ end: Session.End) -> VeepaConnectionError {
        let reason =
            switch end {
            case .closedHere: "this side has closed it"
            case .closedByPeer: "the camera has closed it"
            case .silent: "nothing has come from the camera for some seconds"
            case .unacknowledged(let channel): "the camera no longer acknowledges channel \(channel)"
            case .gap(let channel): "a packet of channel \(channel) never came"
            }
        return error(end == .closedHere ? .cancelled : .linkLost, "hold the connection", reason)
    }

    /// The camera's ID, for errors.
    nonisolated var camera: String { "\(credentials.id)" }

    /// What was counted so far; frames are counted elsewhere.
    var statistics: VeepaStatistics {
        var statistics = VeepaStatistics()
        statistics.badFrames = video.losses.frames
        statistics.duplicates = session?.statistics.duplicates ?? 0
        statistics.disordered = session?.statistics.disordered ?? 0
        statistics.foreign = foreign + finder.strangers
        statistics.malformed = broken + commands.malformed + video.losses.strays + audio.losses.strays
        return statistics
    }
}
