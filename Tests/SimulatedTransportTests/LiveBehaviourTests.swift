import LiveTransport
import Testing
import Transport

@Suite("Behaviour of every transport, live", .timeLimit(.minutes(5)))
struct LiveBehaviourTests {
    @Test("over loopback sockets", arguments: TransportBehaviour.cases)
    func overSockets(_ behaviour: TransportBehaviour.Case) async throws {
        let client = try LiveTransport()
        let pair = TransportBehaviour(client: client, host: try LoopbackHost(), address: .loopback())
        do {
            try await behaviour.run(pair)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }
}
