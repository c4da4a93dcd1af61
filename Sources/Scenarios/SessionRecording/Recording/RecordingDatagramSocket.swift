import Synchronization
import Transport

/// A datagram socket that writes down what it sends and receives.
final class RecordingDatagramSocket: DatagramSocket {
    private let base: any DatagramSocket
    private let log: ConnectionLog
    private let reader: any DatagramReader
    private let writer: SessionWriter
    /// What was begun so far; its number is that of the message, since several go on at once.
    private let begun = Mutex(1)
    private let received = Mutex(DatagramMask())

    /// - Parameter log: Has the binding as its first message.
    init(
        _ base: any DatagramSocket,
        _ log: ConnectionLog,
        _ reader: any DatagramReader,
        _ writer: SessionWriter
    ) {
        (self.base, self.log, self.reader, self.writer) = (base, log, reader, writer)
    }

    var localAddress: Endpoint { base.localAddress }

    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        let sent = RecordedDatagram.sent(reader.statement(of: bytes), to: "\(destination)")
        try await noting(.datagram, sent) { () async throws(TransportError) in
            try await base.send(bytes, to: destination)
        }
    }

    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError) {
        let sent = RecordedDatagram.sent(reader.statement(of: bytes), to: "\(destination)")
        try await noting(.datagram, sent) { () async throws(TransportError) in
            try await base.send(bytes, to: destination)
        }
    }

    func receive(atMost count: Int) async throws(TransportError) -> [Datagram] {
        let datagrams: [Datagram]
        do throws(TransportError) {
            datagrams = try await base.receive(atMost: count)
        } catch {
            // A cancelled call may have a datagram or not: only the recording tells.
            log.note(.in, error)
            throw error
        }
        for (index, datagram) in datagrams.enumerated() {
            let kept = RecordedDatagram.received(kept(datagram), isLast: index == datagrams.count - 1)
            log.note(.in, .datagram, kept)
        }
        return datagrams
    }

    /// The datagram as it may be written.
    private func kept(_ datagram: Datagram) -> Datagram {
        var kept = datagram
        if let clear = reader.open(datagram.bytes) {
            // What has no secret stays as it is, also where its reader would write it otherwise.
            let blanked = received.withLock { mask in
                let (redacted, found) = mask.redacted(clear)
                if !found.isEmpty { writer.find(found) }
                return mask.blanked(redacted, writer.mask)
            }
            if blanked != clear.bytes { kept.bytes = clear.close(blanked) }
        } else {
            // Nobody knows what it says, and so no program does anything with it.
            kept.bytes = []
        }
        return kept
    }

    func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await noting(.head, Self.membership("join", group, interface)) {
            () async throws(TransportError) in
            try await base.join(group, on: interface)
        }
    }

    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        try await noting(.head, Self.membership("leave", group, interface)) {
            () async throws(TransportError) in
            try await base.leave(group, on: interface)
        }
    }

    func close() async {
        try? await noting(.close, []) { () async throws(TransportError) in await base.close() }
    }

    static func membership(_ verb: String, _ group: IPAddress, _ interface: String?) -> [UInt8] {
        Array("\(verb) \(group) \(interface ?? "-")".utf8)
    }

    static func binding(_ address: SocketAddress, _ options: DatagramOptions) -> [UInt8] {
        let words = [
            "bind \(address)", options.allowsBroadcast ? "broadcast" : nil,
            options.sharesPort ? "shared" : nil,
            options.multicastInterface.map { "on \($0)" }, options.timeToLive.map { "hops \($0)" },
            options.receiveBufferBytes.map { "buffer \($0)" },
        ]
        return Array(words.compactMap(\.self).joined(separator: ", ").utf8)
    }

    /// Writes down what is done, and when it was complete, since its end is an input of the program too.
    private func noting(
        _ kind: RecordedMessage.Kind,
        _ bytes: [UInt8],
        _ operation: () async throws(TransportError) -> Void
    ) async throws(TransportError) {
        let number = begun.withLock { begun in
            defer { begun += 1 }
            log.note(.out, kind, bytes)
            return begun
        }
        do throws(TransportError) {
            try await operation()
            log.note(.out, .end, RecordedDatagram.outcome(of: number))
        } catch {
            let bytes = RecordedDatagram.outcome(of: number, TransportErrorCoding.bytes(of: error))
            log.note(.out, .failure, bytes)
            throw error
        }
    }
}
