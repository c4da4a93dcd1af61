import Concurrency
import Foundation
import HTTPTypes
import ServiceClient
import Services
import SimulationTesting
import Testing
import Transport

@Suite("Calls of an API", .simulated(seeds: 1...5))
struct CallTests {
    private func failureOf(_ work: () async throws(ServiceFailure) -> Void) async -> ServiceFailure? {
        do throws(ServiceFailure) {
            try await work()
            return nil
        } catch { return error }
    }

    @Test
    func `a call has method, path below the address, escaped query, JSON and no token where there are none`()
        async throws
    {
        let http = ListedClient([.answer(200, [:], #"{"name":"x"}"#)])
        let client = ServiceClient(http)
        let found: Document = try await client.send(.get("/a/b", query: [("q", "a b&c=é"), ("n", "1")]))
        #expect(found == Document(name: "x"))
        let _: Document = try await client.send(try .post("/p", Document(), key: "k1"))
        let (get, post) = (http.sent[0].request, http.sent[1].request)
        #expect(get.method == .get && get.path == "/v1/a/b?q=a%20b%26c%3D%C3%A9&n=1")
        #expect(get.scheme == "http" && get.authority == "h" && get.headerFields[.contentType] == nil)
        #expect(get.headerFields[.accept] == "application/json" && get.headerFields[.authorization] == nil)
        #expect(post.method == .post && post.path == "/v1/p")
        #expect(post.headerFields[.contentType] == "application/json")
        #expect(post.headerFields[HTTPField.Name("Idempotency-Key")!] == "k1")
        #expect(http.sent[1].body == Array(#"{"name":"n"}"#.utf8))
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `a status that may pass is tried again for what is safe or has a key, and for nothing else`(
        _ status: Int
    ) async throws {
        for (call, isRepeated) in [
            (Call.get("/a"), true), (try Call.post("/a", Document(), key: "k"), true),
            (try Call.post("/a", Document()), false),
        ] {
            let http = ListedClient([.answer(status), .answer(status), .answer(200)])
            let failure = await failureOf { () async throws(ServiceFailure) in
                _ = try await ServiceClient(http).answer(to: call)
            }
            #expect((failure == nil) == isRepeated)
            #expect(http.sent.count == (isRepeated ? 3 : 1))
            #expect(failure.map { $0.status == status && $0.code == .refused } ?? true)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 409, 422, 501])
    func `a status that says no is not tried again, and its body is kept as evidence`(_ status: Int)
        async throws
    {
        let http = ListedClient([.answer(status, [:], "why")])
        let failure = await failureOf { () async throws(ServiceFailure) in
            _ = try await ServiceClient(http).answer(to: .get("/a?key=secret"))
        }
        #expect(http.sent.count == 1)
        #expect(failure?.code == .refused && failure?.status == status && failure?.body == Array("why".utf8))
        // The query may hold a credential.
        #expect(failure?.description.contains("secret") == false && failure?.operation == "GET /a")
    }

    @Test
    func `a call that did not leave this side is sent again, and one that may have taken effect is not`()
        async throws
    {
        for (reach, count) in [(TransportError.Reach.notSent, 2), (.sent, 1), (.answered, 1)] {
            let http = ListedClient([.failure(.reset, reach), .answer(200)])
            let failure = await failureOf { () async throws(ServiceFailure) in
                _ = try await ServiceClient(http).answer(to: try .post("/a", Document()))
            }
            #expect(http.sent.count == count)
            #expect(failure?.code == (reach == .notSent ? nil : .interrupted))
        }
        // With a key it is.
        let http = ListedClient([.failure(.reset, .answered), .answer(200)])
        _ = try await ServiceClient(http).answer(to: try .post("/a", Document(), key: "k"))
        #expect(http.sent.count == 2)
    }

    @Test
    func
        `waits grow, follow what the service asks for, and end with the tries, the deadline or a wait that is too long`()
        async throws
    {
        func run(_ http: ListedClient, deadline: Duration = .seconds(60)) async -> (Duration, ServiceFailure?)
        {
            let start = ContinuousClock.now
            let failure = await failureOf { () async throws(ServiceFailure) in
                _ = try await ServiceClient(http, deadline: deadline).answer(to: .get("/a"))
            }
            return (ContinuousClock.now - start, failure)
        }
        let all = ListedClient([.answer(503)])
        let (time, _) = await run(all)
        #expect(all.sent.count == 4)
        // 0.5, 1 and 2 seconds, and up to a tenth more.
        #expect(time >= .milliseconds(3500) && time <= .milliseconds(4200), "\(time)")
        let asked = ListedClient([.answer(503, [.retryAfter: "7"]), .answer(200)])
        let (second, failure) = await run(asked)
        #expect(failure == nil && second >= .seconds(7))
        let long = ListedClient([.answer(503, [.retryAfter: "3600"]), .answer(200)])
        let (third, refusal) = await run(long)
        #expect(long.sent.count == 1 && third < .seconds(1) && refusal?.retryAfter == .seconds(3600))
        let short = ListedClient([.answer(503)])
        let (fourth, _) = await run(short, deadline: .seconds(1))
        #expect(short.sent.count == 2 && fourth < .seconds(1))
        let hanging = ListedClient([.hang(.seconds(500))])
        let (fifth, late) = await run(hanging, deadline: .seconds(20))
        #expect(late?.code == .timedOut && fifth >= .seconds(20) && fifth < .seconds(21))
    }

    @Test func `a page in between, a wrong document and a missing address are failures of their own`()
        async throws
    {
        let page = ListedClient([.answer(200, [.contentType: "text/html; charset=utf-8"], "<html>")])
        let first = await failureOf { () async throws(ServiceFailure) in
            let _: Document = try await ServiceClient(page).send(.get("/a"))
        }
        #expect(first?.code == .untrusted && page.sent.count == 1)
        let wrong = ListedClient([.answer(200, [:], "[]")])
        let second = await failureOf { () async throws(ServiceFailure) in
            let _: Document = try await ServiceClient(wrong).send(.get("/a"))
        }
        #expect(
            second?.code == .malformed && second?.body == Array("[]".utf8) && second?.peer == "http://h/v1"
        )
        let unset = ListedClient([.answer(200)])
        let client = ServiceClient(unset, policy: .once) { nil }
        let third = await failureOf { () async throws(ServiceFailure) in
            _ = try await client.answer(to: .get("/a"))
        }
        #expect(third?.code == .notConfigured && unset.sent.isEmpty)
    }

    @Test func `an answer that is longer than is read is given up`() async throws {
        let http = ListedClient([.answer(200, [:], String(repeating: "x", count: 2_000))])
        var policy = CallPolicy.once
        policy.answerBytes = 1_000
        let client = ServiceClient(http, policy: policy) { ServiceAddress("http://h") }
        let failure = await failureOf { () async throws(ServiceFailure) in
            _ = try await client.answer(to: .get("/a"))
        }
        #expect(failure?.code == .tooLarge)
    }

    @Test
    func
        `a token that cannot be a header value is neither sent nor kept, and the next call asks for another`()
        async throws
    {
        let http = ListedClient([.answer(200)])
        let (secrets, asked) = (BrittleSecrets(), CurrentValue(0))
        let tokens = BearerTokens(in: secrets, named: "t") { _ throws(ServiceFailure) in
            let number = asked.update { count in
                count += 1
                return count
            }
            return BearerToken(Secret(number == 1 ? "a\r\nX-Injected: 1" : "good"), expiry: .distantFuture)
        }
        let client = ServiceClient(http, tokens: tokens)
        let failure = await failureOf { () async throws(ServiceFailure) in
            _ = try await client.answer(to: .get("/a"))
        }
        #expect(failure?.code == .malformed && http.sent.isEmpty)
        #expect(failure?.description.contains("Injected") == false)
        #expect(try secrets.secret(named: "t") == nil)
        _ = try await client.answer(to: .get("/a"))
        #expect(http.sent.map { $0.request.headerFields[.authorization] } == ["Bearer good"])
        // One that an earlier version has kept counts as none.
        let other = BrittleSecrets()
        try other.set(Secret(#"{"token":"a\nb","expiry":4000000000}"#), named: "t")
        let second = BearerTokens(in: other, named: "t") { _ throws(ServiceFailure) in
            BearerToken(Secret("new"), expiry: .distantFuture)
        }
        #expect(try await second.valid().value.reveal() == "new")
    }

    @Test func `a cancelled call ends at once, also between two tries`() async throws {
        for steps in [[ListedClient.Step.hang(.seconds(500))], [.answer(503)]] {
            let http = ListedClient(steps)
            let task = Task {
                await failureOf { () async throws(ServiceFailure) in
                    _ = try await ServiceClient(http).answer(to: .get("/a"))
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            let start = ContinuousClock.now
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(ContinuousClock.now - start < .milliseconds(100))
        }
    }

    @Test func `no failure holds a secret that a call carries, wherever it comes back`() async throws {
        let key = "sesame/42"
        var call = Call(
            .put,
            "/a?x=1",
            body: .bytes([1, 2]),
            contentType: "image/png",
            repeats: .whenNothingWasDone
        )
        call.carry(Secret(key), in: "x-api-key")
        call.carry(Secret("word"), in: "Authorization", scheme: "Bearer")
        for step in [
            ListedClient.Step.answer(400, [:], "\(key) or sesame%2F42, word"),
            .failure(.reset, .sent, "key \(key)"),
        ] {
            let http = ListedClient([step])
            let failure = await failureOf { () async throws(ServiceFailure) in
                _ = try await ServiceClient(http).answer(to: call)
            }
            let found = try #require(failure)
            let texts = ["\(found)", String(reflecting: found), String(decoding: found.body, as: UTF8.self)]
            #expect(texts.allSatisfy { !$0.contains("sesame") && !$0.contains("word") })
            #expect(texts.joined().contains("<secret>"))
            let sent = try #require(http.sent.first)
            #expect(sent.request.headerFields[HTTPField.Name("x-api-key")!] == key)
            #expect(sent.request.headerFields[.authorization] == "Bearer word")
            #expect(sent.request.headerFields[.contentType] == "image/png" && sent.body == [1, 2])
        }
    }

    @Test func `the longer of the waits that header and body ask for is kept`() async throws {
        for (header, body) in [("7", "2"), ("2", "7")] {
            let http = ListedClient([.answer(503, [.retryAfter: header], body), .answer(200)])
            let client = ServiceClient(http, policy: .interactive) { body in
                Int(String(decoding: body, as: UTF8.self)).map { .seconds($0) }
            } address: {
                ServiceAddress("http://h")
            }
            let start = ContinuousClock.now
            _ = try await client.answer(to: .get("/a"))
            #expect(ContinuousClock.now - start >= .seconds(7))
        }
    }

    @Test func `a body that can be read once is sent once, and a call may go elsewhere and end earlier`()
        async throws
    {
        let http = ListedClient([.answer(503)])
        let body = HTTPBody.stream(.once([1]), length: 1)
        _ = await failureOf { () async throws(ServiceFailure) in
            _ = try await ServiceClient(http).answer(to: Call(.put, "/a", body: body, repeats: .always))
        }
        #expect(http.sent.count == 1)
        var call = Call.get("/a")
        call.address = ServiceAddress("https://other/up")
        call.end = .now + .seconds(1)
        _ = await failureOf { () async throws(ServiceFailure) in
            _ = try await ServiceClient(http).answer(to: call)
        }
        #expect(http.sent.count == 3 && ContinuousClock.now <= call.end!)
        #expect(http.sent.last?.request.authority == "other" && http.sent.last?.request.path == "/up/a")
    }

    @Test func `an answer that is opened is read by its reader, whose limits hold`() async throws {
        let http = ListedClient([.stream([[1, 2], [3]], .seconds(1), .over)])
        #expect(
            try await ServiceClient(http).open(.get("/a")).read(upTo: 3, within: .seconds(10)) == [1, 2, 3]
        )
        for (limit, time, end, code) in [
            (2, 10, ListedClient.End.over, ServiceFailure.Code.tooLarge), (3, 2, .silent {}, .timedOut),
            (3, 10, .reset, .interrupted),
        ] {
            let http = ListedClient([.stream([[1, 2], [3]], .seconds(1), end)])
            let failure = await failureOf { () async throws(ServiceFailure) in
                _ = try await ServiceClient(http).open(.get("/a")).read(upTo: limit, within: .seconds(time))
            }
            #expect(failure?.code == code && failure?.status == 200 && http.sent.count == 1)
        }
    }
}
