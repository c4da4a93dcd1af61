import AppKernel
import Concurrency
import GRDB
import Services
import Simulation
import Testing

// The example of AppKernel.docc, word for word.
private struct Letter: OutboxWork {
    typealias Receipt = String
    var text: String
}

private struct Sending: OutboxEffect {
    let sent: CurrentValue<[String]>

    func perform(_ attempt: OutboxAttempt<Letter>) async -> OutboxOutcome<Letter> {
        if attempt.entry.failures < 2 { return .retry(WorkFailure("no network")) }
        sent.update { $0.append(attempt.entry.work.text) }
        return .done("receipt of \(attempt.entry.identity)")
    }

    func record(_ receipt: String, of entry: OutboxEntry<Letter>, in database: Database) throws {}
}

@Test func `a letter is sent when the network is back`() throws {
    try Simulation(seed: 7).run {
        let sent = CurrentValue<[String]>([])
        let outbox = try Outbox<Letter>(database: AppDatabase(path: ":memory:"), name: "letters")
        try outbox.add(Letter(text: "Dear Ada"), identity: "letter-1")
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
