import Foundation
import Simulation

/// A kind of calls to a service of the device: what the app asks, and what comes of it.
///
/// A recording over real sockets keeps each call as an event whose kind is the service's name, in the table that has the simulated
/// world's events in other recordings. Its JSON has the members of request and reply side by side.
public struct DeviceCall<
    Request: Codable & Hashable & Sendable & CustomStringConvertible,
    Reply: Codable & Sendable
>:
    Sendable
{
    /// The kind of its events: `speech`.
    let service: String
    /// What differences call the service: `voice and recognizer`.
    let title: String

    /// Names a kind of calls; its name is the same in all versions.
    public init(_ service: String, title: String) { (self.service, self.title) = (service, title) }

    /// A call as a recording has it.
    struct Recorded: Codable, Sendable {
        var request: Request
        var reply: Reply

        init(_ request: Request, _ reply: Reply) { (self.request, self.reply) = (request, reply) }

        init(from decoder: any Decoder) throws {
            (request, reply) = (try Request(from: decoder), try Reply(from: decoder))
        }

        func encode(to encoder: any Encoder) throws {
            try request.encode(to: encoder)
            try reply.encode(to: encoder)
        }
    }
}

extension DeviceCall {
    /// A call, and when it returned, in nanoseconds since the session's start.
    typealias Returned = (recorded: Recorded, end: Int64)

    /// The most calls of one kind in a session; those that never returned have numbers too.
    private static var mostCalls: Int { 1_000_000 }

    /// The calls of this kind among events, by number, from 0 to less than a million.
    ///
    /// - Throws: ``SessionError/damaged(path:detail:)``.
    func recorded(in events: [TraceEvent], of path: String) throws(SessionError) -> [Int: Returned] {
        var calls: [Int: Returned] = [:]
        for event in events {
            let bytes = Data(event.detail.utf8)
            guard event.step < Self.mostCalls else {
                throw .damaged(path: path, detail: "a call of \(title) has the number \(event.step)")
            }
            guard let call = try? JSONDecoder().decode(Recorded.self, from: bytes),
                calls.updateValue((call, event.nanoseconds), forKey: event.step) == nil
            else {
                throw .damaged(path: path, detail: "a call of \(title) is malformed")
            }
        }
        return calls
    }
}

/// A service of the device that an app calls: the device itself while a session is recorded, and the recording while it is replayed.
public protocol DeviceCalls<Request, Reply>: Sendable {
    /// What is asked.
    associatedtype Request: Sendable
    /// What comes of it.
    associatedtype Reply: Sendable

    /// Calls the service, and returns when the device does or did.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - device: Does it on the device, outside the simulation; not called in a replay.
    /// - Returns: `nil` in a replay whose recording has no such call, or one that never returned.
    func call(_ request: Request, device: @escaping @concurrent @Sendable () async -> Reply) async -> Reply?

    /// Asks what the device knows at once.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - device: Finds it out; not called in a replay.
    /// - Returns: `nil` in a replay whose recording has no such call.
    func ask(_ request: Request, device: () -> Reply) -> Reply?
}
