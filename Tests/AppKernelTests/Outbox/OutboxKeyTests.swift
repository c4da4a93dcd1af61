import AppKernel
import Foundation
import Simulation
import Testing

@Suite("Outbox: keys")
struct OutboxKeyTests {
    private static func key(seed: UInt64) throws -> (ours: UUID, plain: UUID) {
        func first(_ make: @escaping @Sendable () throws -> UUID) throws -> UUID {
            try Simulation(seed: seed).run { try make() }
        }
        return (
            try first {
                let outbox = try Outbox<Wish>(database: AppDatabase(path: ":memory:"), name: "test")
                return try outbox.add(Wish(text: "x"), identity: "a").idempotencyKey
            },
            try first { UUID() }
        )
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `an entry's key is the one that a plain UUID would be`(_ seed: UInt64) throws {
        let key = try Self.key(seed: seed)
        #expect(key.ours == key.plain)
        #expect(key.ours.uuid.6 >> 4 == 4 && key.ours.uuid.8 >> 6 == 2)
    }
}
