import Concurrency
import Foundation
import HTTPTypes
import PeerKit
import ServiceClient
import Services
import Simulation
import SupabaseServer
import SupabaseStorage
import Synchronization
import TestSupport
import Testing
import Transport

/// Secrets in memory.
private final class Secrets: SecretStore {
    private let all = Mutex<[String: Secret]>([:])

    func secret(named name: String) throws(SecretStoreError) -> Secret? { all.withLock { $0[name] } }
    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        all.withLock { $0[name] = secret }
    }
}

@Suite("Sign-in of the store")
struct SignInTests {
    private let key = ObjectKey("one.jpg")

    /// A project whose user alone may do anything, and a store that signs in as that user.
    private final class World: Sendable {
        let server: SupabaseServer
        let client: ServerClient
        let secrets: Secrets
        let store: SupabaseObjectStore
        private let counted: Count

        /// How often credentials were asked for.
        var asked: Int { counted.value }

        init(
            password: String? = "difference",
            secrets: Secrets = Secrets(),
            of known: SupabaseServer? = nil,
            leeway: Duration = .seconds(30),
            _ change: (inout SupabaseProject.SignIn) -> Void = { _ in }
        ) throws {
            var project = SupabaseProject(
                buckets: [.init("media")],
                policies: [
                    .init(.authenticated, may: [.insert, .select, .delete], on: .objects(bucket: "media"))
                ]
            )
            project.signIn.users = [.init("ada@example.com", password: "difference", id: "user-1")]
            change(&project.signIn)
            server = try known ?? SupabaseServer(project)
            client = ServerClient(server)
            self.secrets = secrets
            let configuration = PartsTests.configuration(server.project)
            let count = Count()
            counted = count
            let tokens = SupabaseSignIn.tokens(
                client: client,
                in: secrets,
                leeway: leeway,
                configuration: { () throws(SecretStoreError) in configuration }
            ) {
                count.add()
                return password.map { SupabaseCredentials(email: "ada@example.com", password: Secret($0)) }
            }
            store = SupabaseObjectStore(client: client, tokens: tokens) { () throws(SecretStoreError) in
                configuration
            }
        }

        func put(_ key: ObjectKey) async throws(ObjectStoreError) {
            try await store.put([1, 2, 3], at: key, contentType: "image/jpeg")
        }
    }

    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock(\.self) }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test func `what is stored is the user's, and credentials are asked for once`() throws {
        try Simulation(seed: 1).run {
            let world = try World()
            try await world.put(key)
            try await Task.sleep(for: .seconds(10_000))
            try await world.put(ObjectKey("two.jpg"))
            #expect(try await world.store.get(key, upTo: 100) == [1, 2, 3])
            #expect(world.asked == 1)
            #expect(world.server.objects(in: "media").first?.owner == "user-1")
            // Another process has the tokens of the first.
            let later = try World(password: nil, secrets: world.secrets, of: world.server)
            try await later.put(ObjectKey("three.jpg"))
            #expect(later.asked == 0)
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `many calls at once sign in once, and go on when answers about tokens are lost`(
        _ seed: UInt64
    ) throws {
        try Simulation(seed: seed).run {
            let world = try World { $0.tokenLifetime = .seconds(100) }
            for round in 0..<4 {
                if round > 0 {
                    Simulation.current?.arm(
                        faultPoint: "supabase.auth.answerLost",
                        probability: 0.5,
                        atMost: 1
                    )
                }
                await withTaskGroup { group in
                    for number in 0..<5 {
                        group.addTask {
                            let key = ObjectKey("\(round)/\(number)")
                            for _ in 0..<3 {
                                do throws(ObjectStoreError) { return try await world.put(key) } catch {
                                    #expect(error.isTransient, "\(error)")
                                }
                            }
                        }
                    }
                }
                try await Task.sleep(for: .seconds(Int.random(in: 0...200)))
            }
            #expect(world.server.objects(in: "media").count == 20)
            #expect(world.asked == 1)
        }
    }

    @Test
    func `a user that was signed out elsewhere is asked again, and one that is refused is unauthorized`()
        throws
    {
        try Simulation(seed: 1).run {
            let world = try World()
            try await world.put(key)
            Simulation.current?.arm(faultPoint: "supabase.auth.ended", atMost: 1)
            try await Task.sleep(for: .seconds(3600))
            try await world.put(ObjectKey("two.jpg"))
            #expect(world.asked == 2)

            let wrong = try World(password: "analytical")
            await #expect { try await wrong.put(key) } throws: {
                ($0 as? ObjectStoreError)?.code == .unauthorized
            }
            let nobody = try World(password: nil)
            await #expect { try await nobody.put(key) } throws: {
                ($0 as? ObjectStoreError)?.code == .notConfigured
            }
            #expect(nobody.client.sent.isEmpty)
        }
    }

    @Test func `a token that the service takes for expired is renewed, and the call sent again`() throws {
        try Simulation(seed: 1).run {
            // No leeway, and a clock that is behind by as much as the token lasts.
            let world = try World(leeway: .seconds(-1000)) { $0.tokenLifetime = .seconds(60) }
            try await world.put(key)
            try await Task.sleep(for: .seconds(100))
            try await world.put(ObjectKey("two.jpg"))
            #expect(world.asked == 1)
            #expect(world.server.objects(in: "media").count == 2)
        }
    }

    @Test func `an upload in parts goes on under the next token`() throws {
        try Simulation(seed: 1).run {
            let world = try World(leeway: .zero) { $0.tokenLifetime = .seconds(10) }
            Simulation.current?.arm(
                faultPoint: "supabase.resumable.answerLost",
                values: ["silence": 20],
                skipping: 1
            )
            let bytes = [UInt8].pattern(3500)
            try await world.store.put(
                ObjectContent(bytes),
                at: key,
                PutOptions(contentType: "image/jpeg"),
                report: { _ in }
            )
            #expect(world.server.objects(in: "media").map(\.bytes) == [bytes])
            #expect(world.server.objects(in: "media").first?.owner == "user-1")
            #expect(world.asked == 1)
        }
    }

    @Test func `no error and no request to the storage holds the password`() async throws {
        let world = try World(password: "analytical")
        do throws(ObjectStoreError) { try await world.put(key) } catch {
            #expect(!"\(error)".contains("analytical"))
        }
        #expect(
            "\(SupabaseCredentials(email: "a", password: Secret("analytical")))".contains("analytical")
                == false
        )
        #expect(world.client.sent.allSatisfy { $0.request.path?.hasPrefix("/auth/v1/token") == true })
    }
}
