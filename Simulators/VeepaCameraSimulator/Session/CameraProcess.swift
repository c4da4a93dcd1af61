import PPPP
import PeerKit
import Transport

/// A simulated camera while it has power: its sockets, its clients and its clock.
actor CameraProcess {
    /// What tells the time to the state machines.
    private static let tick = Duration.milliseconds(20)
    /// Sessions that are open at most; further clients get no answer.
    private static let mostSessions = 16
    /// Bytes of video that wait for acknowledgements at most; further frames are dropped, as real cameras do.
    private static let waitingVideo = 512 * 1024
    /// Datagrams that are held back at most.
    private static let mostLate = 1024

    private let settings: VeepaCameraSettings
    private let faults: PeerFaults
    private let journal: CameraJournal
    private let frames: @Sendable (Int) -> [UInt8]
    private let brain: any CameraBrain
    private let searchSocket: any DatagramSocket
    private let sessionSocket: any DatagramSocket
    private var clients: [Endpoint: ClientSession] = [:]
    private var directory: DirectoryLogin
    private var late: [(due: ContinuousClock.Instant, bytes: [UInt8], destination: Endpoint)] = []
    /// The number of the next frame; the same for all clients.
    private var frameNumber = 0

    init(
        _ settings: VeepaCameraSettings,
        _ faults: PeerFaults,
        _ journal: CameraJournal,
        searchSocket: any DatagramSocket,
        sessionSocket: any DatagramSocket,
        local: Endpoint,
        frames: @escaping @Sendable (Int) -> [UInt8]
    ) {
        (self.settings, self.faults, self.journal, self.frames) = (settings, faults, journal, frames)
        (self.searchSocket, self.sessionSocket) = (searchSocket, sessionSocket)
        brain = settings.framing.makeBrain()
        directory = DirectoryLogin(
            settings.id,
            settings.directories,
            local: local,
            punches: !settings.needsRelay,
            now: .now
        )
    }

    /// Where sessions are.
    nonisolated var sessionAddress: Endpoint { sessionSocket.localAddress }

    /// Serves until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read(self.sessionSocket) }
            if settings.sessionPort == .ephemeral {
                group.addTask { await self.read(self.searchSocket) }
            }
            group.addTask { await self.keepTime() }
            await group.next()
            group.cancelAll()
        }
        // Without power it keeps nothing.
        for source in clients.keys { forget(source) }
    }

    private func read(_ socket: any DatagramSocket) async {
        while let datagrams = try? await socket.receive(atMost: 64) {
            for datagram in datagrams where faults.strike(VeepaFaultPoints.datagramLost) == nil {
                await take(datagram)
            }
            await flush()
        }
    }

    private func keepTime() async {
        while true {
            let now = ContinuousClock.now
            for endpoint in clients.keys.sorted() { await advance(endpoint, to: now) }
            await sendLate(at: now)
            for (packet, destination) in directory.tick(at: now) {
                await send(PacketSeal(settings.cipher).close(packet), to: destination)
            }
            await flush()
            do { try await Task.sleep(for: Self.tick) } catch { return }
        }
    }

    // MARK: Finding

    private func take(_ datagram: Datagram) async {
        let source = datagram.source
        var seal = PacketSeal(settings.cipher)
        guard let packet = seal.open(datagram.bytes),
            settings.cipher == nil || seal.current != nil || settings.takesClearPackets
        else { return }
        if clients[source] != nil {
            clients[source]?.seal = seal
            return await take(packet, from: source)
        }
        if settings.needsRelay, !directory.relays.contains(source), !settings.directories.contains(source) {
            return
        }
        switch packet {
        case .lanSearch, .lanSearchExtended: await answerSearch(from: source, seal)
        case .punch(settings.id), .ready(settings.id):
            if faults.strike(VeepaFaultPoints.readyMute) == nil { open(source, seal) }
        // At a relay both sides are ready at the same time.
        case .relayReady(settings.id) where directory.relays.contains(source): open(source, seal)
        default: directory.receive(packet, from: source, at: .now)
        }
    }

    private func answerSearch(from source: Endpoint, _ seal: PacketSeal) async {
        journal.update { $0.searches += 1 }
        if faults.strike(VeepaFaultPoints.searchMute) != nil { return }
        var id = settings.id
        if faults.strike(VeepaFaultPoints.searchWrongID) != nil {
            id = DeviceID(prefix: id.prefix, serial: id.serial &+ 1, check: id.check) ?? id
        }
        // A search does not reserve a session: its source address can be forged.
        await send(seal.close(.punch(id)), to: source)
    }

    private func open(_ source: Endpoint, _ seal: PacketSeal) {
        guard clients.count < Self.mostSessions else { return }
        let now = ContinuousClock.now
        var limits = SessionLimits()
        limits.window = settings.window
        limits.silence = settings.silence
        // Cameras of this kind ask seldom: clients do.
        limits.aliveInterval = .seconds(3)
        var client = ClientSession(Session(limits, at: now), seal, settings.framing, at: now)
        if let storm = faults.strike(VeepaFaultPoints.readyStorm) {
            client.storm = now + storm.time("seconds")
        }
        clients[source] = client
        directory.reached(source)
        late.append((now, seal.close(.ready(settings.id)), source))
        journal.update {
            $0.sessions += 1
            $0.openSessions = clients.count
        }
    }

    // MARK: Sessions

    private func take(_ packet: Packet, from source: Endpoint) async {
        switch packet {
        case .punch(settings.id):
            // The client has not heard that the camera is ready.
            late.append((.now, clients[source]?.seal.close(.ready(settings.id)) ?? [], source))
        case .lanSearch, .lanSearchExtended:
            if let seal = clients[source]?.seal { await answerSearch(from: source, seal) }
        case .data, .dataAck, .alive: clients[source]?.storm = nil
        default: break
        }
        // A close is said several times.
        if packet == .close, clients[source]?.session.end == nil { journal.update { $0.closes += 1 } }
        clients[source]?.session.receive(packet, at: .now)
        for arrival in clients[source]?.session.takeArrivals() ?? [] where arrival.channel == 0 {
            for message in clients[source]?.assembler.append(arrival.bytes) ?? [] {
                answer(message, to: source)
            }
        }
    }

    private func answer(_ message: CommandMessage, to source: Endpoint) {
        guard var client = clients[source], client.replies.count < ClientSession.mostReplies else { return }
        let number = frameNumber
        var camera = CameraView(
            settings: settings,
            faults: faults,
            otherUsers: clients.filter { $0.key != source && $0.value.state.isLoggedIn }.count,
            snapshot: { [frames] in frames(number) },
            record: journal.record
        )
        let wasStreaming = client.state.isStreaming
        var messages = brain.answer(message, &client.state, &camera)
        journal.update { $0 = camera.record }
        let now = ContinuousClock.now
        if client.state.isStreaming, !wasStreaming { client.nextFrame = now }
        if faults.strike(VeepaFaultPoints.replyUnsolicited) != nil {
            messages.insert(brain.unsolicited(camera), at: 0)
        }
        let isEarly = faults.strike(VeepaFaultPoints.replyEarly) != nil
        for message in messages {
            if faults.strike(VeepaFaultPoints.replyMute) != nil { continue }
            client.replies.append((isEarly ? now : now + settings.replyDelay, damaged(message)))
        }
        if client.state.endsAfterReply { client.end = now + settings.replyDelay + .milliseconds(500) }
        clients[source] = client
    }

    private func damaged(_ message: CommandMessage) -> [UInt8] {
        var bytes = message.bytes(settings.framing)
        if let huge = faults.strike(VeepaFaultPoints.replyHuge), settings.framing != .binary {
            var length: [UInt8] = []
            length.append(little: UInt32(clamping: huge.integer("bytes")))
            bytes.replaceSubrange(4..<8, with: length)
        }
        if faults.strike(VeepaFaultPoints.replyMalformed) != nil { bytes[0] ^= 0x55 }
        return bytes
    }

    /// Does what is due for one client.
    private func advance(_ source: Endpoint, to now: ContinuousClock.Instant) async {
        guard var client = clients[source] else { return }
        if let storm = client.storm {
            late.append((now, client.seal.close(.ready(settings.id)), source))
            if storm <= now { client.storm = nil }
        }
        while let reply = client.replies.first, reply.due <= now {
            client.replies.removeFirst()
            _ = client.session.write(reply.bytes, to: 0, at: now)
        }
        if client.state.isStreaming, client.nextFrame <= now { sendFrame(&client, at: now) }
        client.session.tick(at: now)
        clients[source] = client
        if let end = client.end, end <= now { return forget(source) }
        if client.session.end != nil {
            // The last packets say so to the client.
            await flush()
            forget(source)
        }
    }

    private func forget(_ source: Endpoint) {
        guard let client = clients.removeValue(forKey: source) else { return }
        journal.update {
            $0.openSessions = clients.count
            $0.resentPackets += client.session.statistics.resent
        }
    }

    // MARK: Frames

    private func sendFrame(_ client: inout ClientSession, at now: ContinuousClock.Instant) {
        let interval = Duration.seconds(1 / max(0.01, settings.framesPerSecond))
        // After a stall frames go on at their rate, and are not made up for.
        client.nextFrame = max(client.nextFrame + interval, now)
        if let stall = faults.strike(VeepaFaultPoints.streamStall) {
            client.nextFrame = now + stall.time("seconds")
            return
        }
        if faults.strike(VeepaFaultPoints.sessionMute) != nil {
            client.end = now
            return
        }
        guard client.session.waitingBytes(of: 1) <= Self.waitingVideo else {
            return journal.update { $0.droppedFrames += 1 }
        }
        let bytes = CameraFrame(number: frameNumber, picture: frames(frameNumber), seconds: frameNumber / 10)
            .bytes(faults)
        frameNumber += 1
        if faults.strike(VeepaFaultPoints.frameSound) != nil {
            let sound = CameraFrame.sound(number: frameNumber)
            _ = client.session.write(sound, to: 2, at: now)
        }
        let isTaken = client.session.write(bytes, to: 1, at: now)
        journal.update { if isTaken { $0.frames += 1 } else { $0.droppedFrames += 1 } }
        if faults.strike(VeepaFaultPoints.sessionClose) != nil { client.session.close() }
    }

    // MARK: Sending

    private func flush() async {
        for source in clients.keys.sorted() {
            guard let packets = clients[source]?.session.takePackets(), let seal = clients[source]?.seal
            else {
                continue
            }
            for packet in packets {
                await send(seal.close(packet), to: source)
                guard case .data = packet else { continue }
                if faults.strike(VeepaFaultPoints.packetReplayed) != nil, let old = clients[source]?.oldPacket
                {
                    await send(seal.close(old), to: source)
                }
                if faults.strike(VeepaFaultPoints.packetForeign) != nil {
                    await sendForeign(packet, seal, source)
                }
                if clients[source]?.oldPacket == nil { clients[source]?.oldPacket = packet }
            }
        }
    }

    /// Sends a packet with other contents from an address that is not the session's.
    private func sendForeign(_ packet: Packet, _ seal: PacketSeal, _ destination: Endpoint) async {
        guard case .data(let channel, let index, let data) = packet, settings.sessionPort == .ephemeral else {
            return
        }
        let forged = Packet.data(channel: channel, index: index &+ 1, ArraySlice(data.map { $0 ^ 0xFF }))
        for packet in [forged, .close] { try? await searchSocket.send(seal.close(packet), to: destination) }
    }

    private func sendLate(at now: ContinuousClock.Instant) async {
        let due = late.filter { $0.due <= now }
        late.removeAll { $0.due <= now }
        for datagram in due { try? await sessionSocket.send(datagram.bytes, to: datagram.destination) }
    }

    private func send(_ bytes: [UInt8], to destination: Endpoint) async {
        if faults.strike(VeepaFaultPoints.datagramLost) != nil { return }
        if let fault = faults.strike(VeepaFaultPoints.datagramLate), late.count < Self.mostLate {
            return late.append((.now + fault.time("seconds"), bytes, destination))
        }
        let copies = faults.strike(VeepaFaultPoints.datagramDoubled) == nil ? 1 : 2
        for _ in 0..<copies { try? await sessionSocket.send(bytes, to: destination) }
    }
}
