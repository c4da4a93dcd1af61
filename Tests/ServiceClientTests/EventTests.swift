import Foundation
import HTTPTypes
import ServiceClient
import Services
import SimulationTesting
import Synchronization
import Testing
import Transport

@Suite("Server-sent events of an answer", .simulated(seeds: 1...5))
struct EventTests {
    /// Reads all events, and the failure that ends them.
    private func events(
        _ http: ListedClient,
        deadline: Duration = .seconds(60),
        answerBytes: Int = 10_000
    ) async -> (texts: [String], failure: ServiceFailure?) {
        var policy = CallPolicy.interactive
        (policy.deadline, policy.answerBytes, policy.eventBytes) = (deadline, answerBytes, 1_000)
        let client = ServiceClient(http, policy: policy) { ServiceAddress("http://h/v1") }
        var texts: [String] = []
        do throws(ServiceFailure) {
            let events = try await client.events(of: .get("/stream"))
            while let event = try await events.next() {
                texts.append(String(decoding: event.data, as: UTF8.self))
            }
            return (texts, nil)
        } catch { return (texts, error) }
    }

    private func events(of text: String, then end: ListedClient.End = .over) -> ListedClient {
        // Cut anywhere, also inside a character.
        var (chunks, rest) = ([[UInt8]](), Array(text.utf8)[...])
        while !rest.isEmpty {
            let size = Int.random(in: 1...7)
            chunks.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return ListedClient([.stream(chunks, .zero, end)])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `events come in order however their bytes are cut, without comments and other fields`(
        _ lineEnd: String
    ) async {
        let text =
            "\u{FEFF}: hello\nevent: x\nid: 4\nretry\ndata:a\ndata: ü\n\n\n: ping\n\ndata\n\ndata:  b\n\ndata: end"
        let http = events(of: text.replacing("\n", with: lineEnd))
        let (texts, failure) = await events(http)
        // What is not ended by a blank line comes too.
        #expect(texts == ["a\nü", "", " b", "end"] && failure == nil)
        #expect(http.sent.map { $0.request.headerFields[.accept] } == ["text/event-stream"])
    }

    @Test func `a refusal is tried again like that of any call, and a stream that has begun is not`() async {
        let http = ListedClient([.answer(503), .stream([Array("data: a\n\ndata: b".utf8)], .zero, .reset)])
        let (texts, failure) = await events(http)
        #expect(texts == ["a"] && http.sent.count == 2)
        #expect(
            failure?.code == .interrupted && failure?.status == 200 && failure?.operation == "GET /stream"
        )
    }

    @Test func `what came before a failure is given before it, also where it came with it`() async {
        let first = "data: a\n\n"
        for (rest, end, code) in [
            ("data: b", ListedClient.End.reset, ServiceFailure.Code.interrupted),
            ("data: " + String(repeating: "x", count: 1_001), .over, .tooLarge),
        ] {
            let (texts, failure) = await events(
                ListedClient([.stream([Array((first + rest).utf8)], .zero, end)])
            )
            #expect(texts == ["a"] && failure?.code == code)
        }
    }

    @Test func `a stream without end is given up by the size of an event, that of the answer, or the time`()
        async
    {
        for (chunk, pause, code) in [
            (String(repeating: "x", count: 600), Duration.zero, ServiceFailure.Code.tooLarge),
            ("data: " + String(repeating: "x", count: 600) + "\n", .zero, .tooLarge),
            (String(repeating: "{", count: 600), .zero, .tooLarge),
            ("data: a\n\n", .zero, .tooLarge), ("data: a\n\n", .seconds(7), .timedOut),
        ] {
            let http = ListedClient([.stream([Array(chunk.utf8)], pause, .again)])
            let start = ContinuousClock.now
            let (_, failure) = await events(http)
            #expect(failure?.code == code, "\(chunk.prefix(20))")
            #expect(ContinuousClock.now - start < .seconds(70))
        }
    }

    @Test func `a reader that is cancelled ends the request, and so does the release of the events`()
        async throws
    {
        let released = Mutex(0)
        let http = ListedClient([
            .stream([Array("data: a\n\n".utf8)], .zero, .silent { released.withLock { $0 += 1 } })
        ])
        let reading = Task { await events(http) }
        try await Task.sleep(for: .milliseconds(100))
        reading.cancel()
        let (texts, failure) = await reading.value
        #expect(texts == ["a"] && failure?.code == .cancelled)
        _ = try await ServiceClient(http).events(of: .get("/stream"))
        try await Task.sleep(for: .milliseconds(100))
        #expect(released.withLock { $0 } == 2)
    }
}
