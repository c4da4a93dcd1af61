import AppKernel
import Concurrency
import Services
import Simulation
import Testing

// The example of AppKernel.docc, word for word.
private struct Sending: OutboxEffect {
    let sent: CurrentValue<[String]>

    func perform(_ entry: OutboxEntry<String>) async -> OutboxOutcome<String> {
        if entry.failures < 2 { return .transientFailure("no network") }
        sent.update { $0.append(entry.payload) }
        return .success("receipt of \(entry.identity)")
    }

    func record(_ receipt: String, of entry: OutboxEntry<String>) async throws {}
}

@Test func `a letter is sent when the network is back`() throws {
    try Simulation(seed: 7).run {
        let sent = CurrentValue<[String]>([])
        let outbox = try Outbox<String>(database: AppDatabase(path: ":memory:"), name: "letters")
        try outbox.enqueue("Dear Ada", identity: "letter-1")
        let worker = OutboxWorker(outbox: outbox, effect: Sending(sent: sent))
        let work = Task { await worker.run() }
        try await Task.sleep(for: .seconds(600))  // virtual seconds
        #expect(sent.value == ["Dear Ada"])
        #expect(try outbox.entries().isEmpty)
        work.cancel()
    }
}

// The example of Services.docc, word for word.
private struct Greeting {
    let secrets: any SecretStore
    let preferences: any PreferenceStore

    func text() throws -> String {
        let name = try preferences.value(for: "name") ?? "stranger"
        return try secrets.secret(named: "key") == nil ? "Hello, \(name)" : "Welcome back, \(name)"
    }
}

@Test func `an app takes its services as values`() throws {
    let database = try AppDatabase(path: ":memory:")
    let greeting = Greeting(
        secrets: EnvironmentSecretStore(
            variables: ["key": "GREETING_KEY"],
            environment: ["GREETING_KEY": "sesame"]
        ),
        preferences: try SQLitePreferenceStore(database)
    )
    #expect(try greeting.text() == "Welcome back, stranger")
    try greeting.preferences.set("Ada", for: "name")
    #expect(try greeting.text() == "Welcome back, Ada")
}
