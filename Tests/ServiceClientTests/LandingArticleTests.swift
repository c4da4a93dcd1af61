import Foundation
import HTTPTypes
import ServiceClient
import Services
import SimulationTesting
import Testing
import Transport

// The examples of ServiceClient.docc, word for word.
struct Note: Codable, Sendable { var text: String }

func post(_ note: Note, over http: any HTTPClient, to address: String) async throws -> Note {
    let client = ServiceClient(http, policy: .interactive) { ServiceAddress(address) }
    return try await client.send(.post("/notes", note, key: UUID().uuidString))
}

func titles(over http: any HTTPClient, at address: String, key: Secret) async throws -> [String] {
    let client = ServiceClient(http, policy: .interactive) { ServiceAddress(address) }
    var call = Call.get("/titles")
    call.carry(key, in: "x-api-key")
    let events = try await client.events(of: call)
    var titles: [String] = []
    while let event = try await events.next() {
        titles.append(String(decoding: event.data, as: UTF8.self))
    }
    return titles
}

@Test(.simulated(seeds: 1...3))
func `a note is posted again with the key that it had`() async throws {
    let http = ListedClient([.answer(503), .answer(200, [:], #"{"text":"hello"}"#)])
    let note = try await post(Note(text: "hello"), over: http, to: "http://notes.example")
    #expect(note.text == "hello")
    let keys = http.sent.map { $0.request.headerFields[HTTPField.Name("Idempotency-Key")!] }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
}

@Test(.simulated(seeds: 1...3))
func `titles come as events to whoever has the key`() async throws {
    let http = ListedClient([.answer(200, [:], "data: One\n\ndata: Two\n\n")])
    #expect(try await titles(over: http, at: "http://notes.example", key: Secret("k")) == ["One", "Two"])
    #expect(http.sent.map { $0.request.headerFields[HTTPField.Name("x-api-key")!] } == ["k"])
}
