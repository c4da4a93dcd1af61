import Foundation
import HTTPTypes
import ServiceClient
import SimulationTesting
import Testing
import Transport

// The example of ServiceClient.docc, word for word.
struct Note: Codable, Sendable { var text: String }

func post(_ note: Note, over http: any HTTPClient, to address: String) async throws -> Note {
    let client = ServiceClient(http, policy: .interactive) { ServiceAddress(address) }
    return try await client.send(.post("/notes", note, key: UUID().uuidString))
}

@Test(.simulated(seeds: 1...3))
func `a note is posted again with the key that it had`() async throws {
    let http = ListedClient([.answer(503), .answer(200, [:], #"{"text":"hello"}"#)])
    let note = try await post(Note(text: "hello"), over: http, to: "http://notes.example")
    #expect(note.text == "hello")
    let keys = http.sent.map { $0.request.headerFields[HTTPField.Name("Idempotency-Key")!] }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
}
