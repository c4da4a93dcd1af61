import SimulatedTransport
import Simulation
import Transport

private actor Meter {
    private(set) var pulses = 0
    private(set) var last: UInt8 = 0
    private var seen: Set<UInt8> = []

    func count(_ number: UInt8, isFixed: Bool) {
        if isFixed, !seen.insert(number).inserted { return }
        pulses += 1
    }

    func show(_ number: UInt8, isFixed: Bool) {
        if isFixed, number <= last { return }
        last = number
    }
}

extension ZooProgram {
    static let duplicateDatagram = ZooProgram(
        "duplicate-datagram",
        .network,
        "a datagram that the network duplicates is counted twice"
    ) { isFixed in
        let world = ZooNetwork { $0.duplication = 0.05 }
        let meter = Meter()
        let socket = try await world.hub.bind(world.address)
        let reading = ZooNetwork.receive(socket) { bytes, _ in await meter.count(bytes[0], isFixed: isFixed) }
        let sender = try await world.phone.bind(SocketAddress(host: "phone", port: 0))
        for number in Simulation.work("pulses", count: 6) {
            try await sender.send([UInt8(number)], to: world.address)
        }
        try await Task.sleep(for: .seconds(1))
        await socket.close()
        await reading.value
        try expect(
            await meter.pulses <= Simulation.work("pulses", count: 6).count,
            "a pulse was counted twice"
        )
    }

    static let reorderedDatagram = ZooProgram(
        "reordered-datagram",
        .network,
        "the datagram that arrives last is taken for the newest"
    ) { isFixed in
        let world = ZooNetwork { $0.reordering = 0.05 }
        let meter = Meter()
        let socket = try await world.hub.bind(world.address)
        let reading = ZooNetwork.receive(socket) { bytes, _ in await meter.show(bytes[0], isFixed: isFixed) }
        let sender = try await world.phone.bind(SocketAddress(host: "phone", port: 0))
        let states = Simulation.work("states", count: 6)
        for number in states {
            try await sender.send([UInt8(number + 1)], to: world.address)
            try await Task.sleep(for: .milliseconds(2))
        }
        try await Task.sleep(for: .seconds(1))
        await socket.close()
        await reading.value
        let newest = states.last.map { $0 + 1 } ?? 0
        try expect(Int(await meter.last) == newest, "an old state is shown as the newest")
    }
}
