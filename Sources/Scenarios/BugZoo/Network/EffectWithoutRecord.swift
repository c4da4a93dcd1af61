import SimulatedDisk
import SimulatedTransport
import Simulation
import Synchronization
import Transport

/// A store that keeps each upload under the name that it is given.
private final class Store: Sendable {
    private let names = Mutex<[String]>([])
    func put(_ name: String) { names.withLock { $0.append(name) } }
    var objects: Int { names.withLock { Set($0).count } }
}

extension ZooProgram {
    static let effectWithoutRecord = ZooProgram(
        "effect-without-record",
        .disk,
        "a crash between an upload and the record of it leads to a second upload"
    ) { isFixed in
        guard let simulation = Simulation.current else { return }
        let phone = simulation.node("phone")
        let disk = SimulatedDisk(node: phone)
        let store = Store()
        try disk.append([1], to: "queue")
        try disk.sync("queue")
        phone.start {
            guard let lives = disk.size(of: "queue"), lives > 0, disk.size(of: "done") == nil else { return }
            // The name must be the same at each attempt, or the store cannot tell.
            store.put(isFixed ? "photo" : "photo-\(UInt64.random(in: 0 ... .max))")
            await Task.yield()
            try? disk.write([1], to: "done")
            try? disk.sync("done")
        }
        for _ in 0..<Int.random(in: 2...5) { await Task.yield() }
        if simulation.faultSource("crash phone").fires(probability: 0.3) != nil { phone.restart() }
        try await Task.sleep(for: .seconds(1))
        try expect(store.objects == 1, "the photo is stored twice")
    }
}
