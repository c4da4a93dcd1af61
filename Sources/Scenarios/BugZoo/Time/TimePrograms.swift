import Foundation
import Simulation

extension ZooProgram {
    static let clockStep = ZooProgram(
        "clock-step",
        .time,
        "a duration is measured by the wall clock, which is set back"
    ) { isFixed in
        guard let simulation = Simulation.current else { return }
        let phone = simulation.node("phone")
        let task = Task { () -> Bool in
            try await phone.run {
                let (start, startDate) = (ContinuousClock.now, Date())
                for _ in 0..<10 {
                    try await Task.sleep(for: .seconds(6))
                    let isOver =
                        isFixed
                        ? ContinuousClock.now - start >= .seconds(30)
                        : Date().timeIntervalSince(startDate) >= 30
                    if isOver { return true }
                }
                return false
            }
        }
        for _ in 0..<5 {
            try await Task.sleep(for: .seconds(5))
            if simulation.faultSource("clock phone").fires(probability: 0.1) != nil {
                phone.clock.step(by: .seconds(-3600))
            }
        }
        try expect(try await task.value, "a session of thirty seconds did not end within a minute")
    }

    static let leaseExpiry = ZooProgram(
        "lease-expiry",
        .time,
        "the holder of a lease relies on its own clock, which runs slower than the server's"
    ) { isFixed in
        guard let simulation = Simulation.current else { return }
        let (phone, server) = (simulation.node("phone"), simulation.node("server"))
        if var chance = simulation.faultSource("drift phone").fires(probability: 0.2) {
            phone.clock.drift = -Double.random(in: 10_000...200_000, using: &chance)
        }
        // A lease of a minute; a cautious holder counts on less than that.
        let trusted = isFixed ? 45.0 : 59.5
        let granted = server.asCurrent { Date() }
        let held = phone.asCurrent { Date() }
        while phone.asCurrent({ Date() }).timeIntervalSince(held) < trusted {
            let isExpired = server.asCurrent { Date() }.timeIntervalSince(granted) >= 60
            try expect(!isExpired, "somebody works under a lease that another may hold")
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...900)))
        }
    }
}
