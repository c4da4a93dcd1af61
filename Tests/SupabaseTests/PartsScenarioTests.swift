import Concurrency
import Services
import SimulatedTransport
import Simulation
import SupabaseServer
import SupabaseStorage
import Synchronization
import TestSupport
import Testing
import Transport

/// An upload in parts over a bad network to a bad service, by a process that crashes.
@Suite("Uploads in parts, with everything going wrong")
struct PartsScenarioTests {
    @Test(arguments: 0..<150 as Range<UInt64>)
    func `an object is stored once and whole, whatever goes wrong on the way`(_ seed: UInt64) throws {
        let bytes = [UInt8].pattern(4700)
        let seen = try Simulation(seed: seed).run { () async throws -> [String] in
            let project = SupabaseProject.uploads(to: "media")
            let server = try SupabaseServer(project)
            let network = SimulatedNetwork(
                defaults: LinkConditions(latency: .exponential(mean: .milliseconds(30)))
            )
            let place = network.host("project.example")
            let listener = try await place.listen(
                server,
                at: SocketAddress(host: "project.example", port: 443)
            )
            let phone = network.host("phone")
            network["phone", "project.example"].loss = Double.random(in: 0...0.1)
            network["phone", "project.example"].conditions.resets = [0, 0.01, 0.03][Int.random(in: 0...2)]
            for (point, values) in [
                ("supabase.resumable.refused", ["status": [500, 503, 400][Int.random(in: 0...2)]]),
                ("supabase.resumable.answerLost", ["silence": Double.random(in: 0...40)]),
                ("supabase.resumable.cut", ["share": Double.random(in: 0...1)]),
                ("supabase.resumable.expired", [:]), ("supabase.resumable.locked", [:]),
                ("http.502", [:]), ("http.429", [:]), ("http.portal", [:]),
            ] as [(String, [String: Double])] where Bool.random() {
                Simulation.current?.arm(
                    faultPoint: point,
                    probability: Double.random(in: 0.02...0.4),
                    values: values,
                    atMost: 10
                )
            }
            let store = SupabaseObjectStore(PartsTests.configuration(project), client: phone)
            let kept = KeptCheckpoint()
            var outcomes: [String] = []
            // As a queue does it, until the faults are used up.
            for attempt in 0..<100 {
                let upload = Task { () async -> ObjectStoreError? in
                    do throws(ObjectStoreError) {
                        try await store.put(
                            ObjectContent(bytes),
                            at: ObjectKey("film"),
                            PutOptions(contentType: "video/quicktime", checkpoint: kept.last),
                            report: kept.report
                        )
                        return nil
                    } catch { return error }
                }
                if attempt < 5, Bool.random() {
                    // The process ends at any time.
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...3000)))
                    upload.cancel()
                }
                guard let error = await upload.value else {
                    outcomes.append("stored")
                    break
                }
                outcomes.append(error.code.rawValue)
                #expect(
                    error.isTransient || error.code == .notFound || error.code == .invalidRequest,
                    "\(error)"
                )
                try await Task.sleep(for: .seconds(Int.random(in: 1...60)))
            }
            #expect(outcomes.last == "stored", "\(outcomes)")
            #expect(server.objects(in: "media").map(\.bytes) == [bytes])
            #expect(server.events.filter { $0.kind == .created }.count == 1)
            #expect(server.events.filter { $0.kind == .replaced }.isEmpty)
            await listener.stop()
            return outcomes
        }
        #expect(!seen.isEmpty)
    }
}
