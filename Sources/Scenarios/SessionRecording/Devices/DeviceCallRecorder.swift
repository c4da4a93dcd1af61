import Foundation
import Simulation
import Synchronization

/// Calls a service of the device, and records what came of each call, and when.
///
/// A call that never returns is not in the recording; its number is missing there.
public final class DeviceCallRecorder<
    Request: Codable & Hashable & Sendable & CustomStringConvertible,
    Reply: Codable & Sendable
>: DeviceCalls {
    private let kind: DeviceCall<Request, Reply>
    private let writer: SessionWriter
    private let clock: SessionClock
    private let count = Mutex(0)

    /// Records calls of one kind; once in a session for each.
    public init(_ kind: DeviceCall<Request, Reply>, writer: SessionWriter, clock: SessionClock) {
        (self.kind, self.writer, self.clock) = (kind, writer, clock)
    }

    /// Leaves the simulation for a call, and records it when it returns.
    public func call(
        _ request: Request,
        device: @escaping @concurrent @Sendable () async -> Reply
    ) async -> Reply? {
        let number = nextNumber()
        let reply = await Simulation.outside(device)
        note(number, request, reply)
        return reply
    }

    /// Asks the device, and records the answer.
    public func ask(_ request: Request, device: () -> Reply) -> Reply? {
        let reply = device()
        note(nextNumber(), request, reply)
        return reply
    }

    private func nextNumber() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }

    private func note(_ number: Int, _ request: Request, _ reply: Reply) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let detail = try? encoder.encode(DeviceCall.Recorded(request, reply)) else { return }
        writer.add(
            TraceEvent(
                step: number,
                nanoseconds: clock.nanoseconds,
                node: "",
                kind: kind.service,
                detail: String(decoding: detail, as: UTF8.self)
            )
        )
    }
}
