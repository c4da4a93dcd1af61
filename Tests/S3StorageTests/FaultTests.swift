import Conformance
import FaultConformance
import HTTPTypes
import ObjectStoreConformance
import S3Storage
import Services
import SimulatedTransport
import Testing
import Transport

@Suite("S3 conforms while its world fails")
struct FaultTests {
    /// S3 between two hosts of a network that fails; a store may stand before it.
    static func harness(
        in world: FaultyWorld,
        _ change: (inout S3Configuration) -> Void = { _ in },
        before wrap: @escaping @Sendable (any ObjectStore) -> any ObjectStore = { $0 }
    ) -> S3Harness {
        let phone = world.network.host("phone")
        world.serverHost("cloud")
        var harness = S3Harness { server in
            let address = await world.serve(server, on: "cloud")
            return S3Harness.Place(client: phone, endpoint: "http://\(address)")
        }
        // Two or three parts, where there are parts.
        harness.sizeLimit = 250_000
        harness.configuration.partSize = 100_000
        change(&harness.configuration)
        harness.wrap = wrap
        return harness
    }

    @Test func `whatever fails, S3 passes or says so, and what it reports is so`() {
        let report = FaultSweep(seeds: 1...3).report(ObjectStoreConformance.suite) { Self.harness(in: $0) }
        #expect(report.wrongs == [], "\(report)")
    }

    @Test func `whatever fails, S3 in parts passes or says so, and what it reports is so`() {
        let cases = ObjectStoreConformance.cases.filter {
            ["upload", "checkpoint", "condition", "content"].contains($0.id.prefix { $0 != "." })
        }
        let report = FaultSweep(seeds: 1...3).report(Suite("object store in parts", cases)) { world in
            Self.harness(in: world) { $0.largestSinglePut = 100_000 }
        }
        #expect(report.wrongs == [], "\(report)")
    }

    @Test(arguments: [(404, ObjectStoreError.Code.network), (403, .unauthorized)])
    func `a refusal whose words are lost on the way says nothing for certain, but where it is about rights`(
        status: Int,
        code: ObjectStoreError.Code
    ) async throws {
        struct Breaking: HTTPClient {
            var status: Int
            func send(
                _ request: HTTPRequest,
                body: HTTPBody,
                limits: HTTPLimits
            ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
                let lost = ByteStream { () async throws(TransportError) in
                    throw TransportError(.reset, operation: "read body", peer: "s3.example.com")
                }
                return (HTTPResponse(status: .init(code: status)), .stream(lost, length: 100))
            }
        }
        var configuration = S3Harness { _ in throw CancellationError() }.configuration
        configuration.endpoint = "https://s3.example.com"
        let store = S3ObjectStore(configuration, client: Breaking(status: status))
        let error = await #expect(throws: ObjectStoreError.self) { try await store.info(ObjectKey("a")) }
        #expect(error?.code == code)
        let isKnown = code == .unauthorized
        #expect(error?.detail == "HTTP \(status)" + (isKnown ? "" : ", and the rest of the answer was lost"))
    }

    @Test func `a copy is sent once: a second one would find the first`() {
        let test = ObjectStoreConformance.cases.filter {
            $0.id == "copy.whole" || $0.id == "condition.matches"
        }
        let report = FaultSweep(seeds: 1...40).report(Suite("copies", test)) { Self.harness(in: $0) }
        #expect(report.wrongs == [], "\(report)")
        #expect(report.oneSided == [])
    }

    @Test(arguments: FlawedStore.Flaw.allCases)
    func `a store that is wrong only where something fails is found only there, and in these words`(
        _ flaw: FlawedStore.Flaw
    ) async {
        // In calm weather it meets every requirement, those about failures too.
        var calm = S3Harness { server in
            S3Harness.Place(client: ServerClient(server: server), endpoint: "https://s3.example.com")
        }
        calm.wrap = { FlawedStore(base: $0, flaw: flaw) }
        let harness = calm
        #expect(await ObjectStoreConformance.suite.report(on: harness).failures == [:])
        let cases = ObjectStoreConformance.cases.filter { $0.id.hasPrefix(flaw.group) }
        let report = FaultSweep(seeds: 1...10).report(Suite(flaw.group, cases)) { world in
            Self.harness(in: world, before: { FlawedStore(base: $0, flaw: flaw) })
        }
        #expect(report.wrongs.contains { $0.saw.contains(flaw.finding) }, "\(report)")
    }
}
