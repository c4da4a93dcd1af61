import LiveTransport
import Transport

/// Megabits a second in datagrams of 1,400 bytes from this process to another, beside plain sockets.
enum DatagramRates {
    private static let windows = 500
    private static let megabits = Double(windows * DatagramBurst.window * DatagramBurst.bytes * 8) / 1e6

    private struct NoAddress: Error { var text: String }

    static let benchmark = Benchmark(
        name: "datagrams",
        summary: "megabits a second in datagrams of 1,400 bytes, beside plain sockets"
    ) { options in
        let (peer, rawPeer) = (try PeerProcess(.datagrams), try PeerProcess(.rawDatagrams))
        guard let address = Endpoint(peer.address) else { throw NoAddress(text: peer.address) }
        let transport = try LiveTransport()
        let socket = try await transport.bind(.loopback(), options: DatagramBurst.options)
        let raw = try RawSocket(.datagram)
        try raw.connect(to: UInt16(rawPeer.address) ?? 0)
        raw.limitWaiting()
        raw.confirm()
        let (ours, theirs) = try await alternate(
            rounds: options.rounds ?? 7,
            {
                try await TwoSides.of(peer) {
                    try await DatagramBurst.send(windows: windows, from: socket, to: address)
                }
            },
            { try await TwoSides.of(rawPeer) { try RawDatagrams.send(windows: windows, from: raw) } }
        )
        await socket.close()
        await transport.shutdown()
        func findings(_ name: String, _ unit: String, _ time: (TwoSides) -> Double) -> [Finding] {
            let rates = (
                ours: Samples(ours.map { megabits / time($0) }),
                raw: Samples(theirs.map { megabits / time($0) })
            )
            return [
                Finding("datagrams.\(name).live", unit, rates.ours),
                Finding("datagrams.\(name).raw", unit, rates.raw),
                Finding("datagrams.\(name).ratio", "×", rates.ours.divided(by: rates.raw)),
            ]
        }
        return findings("rate", "Mbit/s", \.wall) + findings("send", "Mbit/core s", \.client)
            + findings("receive", "Mbit/core s", \.server)
    }
}
