import FlowServer
import Foundation
import HTTPTypes
import PeerKit
import Testing
import Transport

@Suite("The simulated backend of Flow")
struct FlowServerTests {
    private let server = FlowServer()

    private func send(
        _ path: String,
        _ body: JSONValue?,
        token: String? = nil,
        method: HTTPRequest.Method = .post,
        to server: FlowServer? = nil
    ) async throws -> (status: Int, fields: [String: JSONValue], head: HTTPResponse) {
        var request = HTTPRequest(method: method, scheme: "http", authority: "flow", path: path)
        if let token { request.headerFields[.authorization] = token }
        let answer = await (server ?? self.server).respond(
            to: request,
            body: body.map { .bytes($0.json) } ?? .empty
        )
        let bytes = try await answer.body.collect(upTo: 1 << 20)
        let fields = (try? JSONValue(json: bytes))?.object ?? [:]
        return (answer.head.status.code, fields, answer.head)
    }

    private func token(_ server: FlowServer? = nil) async throws -> String {
        let answer = try await send(
            "/Auth/GetToken",
            ["clientId": "flow-app", "clientSecret": "flow-client-secret"],
            to: server
        )
        return "Bearer \(answer.fields["token"]?.string ?? "")"
    }

    private static let device: JSONValue = [
        "deviceId": "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "ipAddress": "", "deviceName": "d",
        "channel": "linux",
    ]

    /// A session with an account.
    private func session(
        verified: Bool,
        _ server: FlowServer? = nil
    ) async throws -> (token: String, session: JSONValue, user: JSONValue) {
        let token = try await token(server)
        let session = try #require(
            try await send("/Device/CreateDevice", Self.device, token: token, to: server).fields["sessionId"]
        )
        let user = try #require(
            try await send("/Auth/Login", login(session), token: token, to: server).fields["userId"]
        )
        if verified {
            let code: JSONValue = ["sessionId": session, "userId": user, "code": "424242"]
            let answer = try await send("/Auth/Verify", code, token: token, to: server)
            #expect(answer.fields["success"] == true)
        }
        return (token, session, user)
    }

    private func login(
        _ session: JSONValue,
        email: String = "ada@example.org",
        password: JSONValue = "pw",
        consents: JSONValue = ["terms": true, "privacy": true]
    ) -> JSONValue {
        ["sessionId": session, "email": .string(email), "password": password, "consents": consents]
    }

    @Test
    func `where more sessions begin than are kept, the oldest are forgotten, and new ones always begin`()
        async throws
    {
        let server = FlowServer(FlowProject(sessionLimit: 2))
        var sessions: [(token: String, session: JSONValue, user: JSONValue)] = []
        for _ in 0..<3 { sessions.append(try await session(verified: true, server)) }
        for (number, (token, session, user)) in sessions.enumerated() {
            let code: JSONValue = ["sessionId": session, "userId": user, "code": "424242"]
            let answer = try await send("/Auth/Verify", code, token: token, to: server)
            #expect(answer.fields["errorCode"]?.integer == (number == 0 ? 1100 : 0))
        }
    }

    @Test func `a token is a signed one whose end is the one that is said, in whole seconds`() async throws {
        let answer = try await send(
            "/Auth/GetToken",
            ["clientId": "flow-app", "clientSecret": "flow-client-secret"],
            token: "Bearer nonsense"
        )
        #expect(answer.status == 200 && answer.fields["success"] == true && answer.fields["errorCode"] == 0)
        let token = try #require(answer.fields["token"]?.string)
        let claims = try WebToken(secret: "flow-signing-secret").verify(token, now: Date())
        #expect(claims["exp"] == answer.fields["expires_on"])
        let end = try #require(answer.fields["expires_on"]?.integer)
        #expect(abs(Date().timeIntervalSince1970 + 900 - Double(end)) <= 2)
    }

    @Test(
        arguments: [
            ("/Auth/GetToken", ["clientId": "flow-app"], 400, 1002),
            ("/Auth/GetToken", ["clientId": "flow-app", "clientSecret": "no"], 401, 1001),
            ("/Auth/GetToken", ["clientId": 7, "clientSecret": "no"], 400, 1002),
            (
                "/Device/CreateDevice",
                ["deviceId": "7", "ipAddress": "", "deviceName": "d", "channel": "c"], 400, 1002
            ),
            (
                "/Device/CreateDevice",
                ["deviceId": "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "deviceName": "d", "channel": "c"], 400,
                1002
            ),
            (
                "/Device/CreateDevice",
                [
                    "deviceId": "6f9619ff-8b86-d011-b42d-00cf4fc964ff", "ipAddress": "", "deviceName": " ",
                    "channel": "c",
                ], 400, 1002
            ),
            (
                "/Auth/Login",
                [
                    "sessionId": "no", "email": "a@b", "password": "p",
                    "consents": ["terms": true, "privacy": true],
                ], 400, 1100
            ),
            (
                "/Auth/Login",
                [
                    "sessionId": "no", "email": "ab", "password": "p",
                    "consents": ["terms": true, "privacy": true],
                ], 400, 1002
            ),
            (
                "/Auth/Login",
                [
                    "sessionId": "no", "email": "a@b", "password": "p",
                    "consents": ["terms": "yes", "privacy": true],
                ], 400, 1102
            ),
            ("/Auth/Verify", ["sessionId": "no", "userId": "u", "code": "1"], 400, 1100),
            ("/api/endpoint", ["sessionId": "no", "userId": "u", "step": 1], 400, 1100),
            ("/api/endpoint", ["sessionId": "no", "userId": "u", "step": "1"], 400, 1002),
            ("/Nowhere", [:], 404, 404),
            ("/auth/gettoken", [:], 404, 404),
        ] as [(String, JSONValue, Int, Int)]
    )
    func `what is wrong is refused with its status and code`(
        _ path: String,
        _ body: JSONValue,
        _ status: Int,
        _ code: Int
    ) async throws {
        let answer = try await send(path, body, token: try await token())
        #expect(answer.status == status)
        #expect(answer.fields["errorCode"] == .integer(code))
        #expect(answer.fields["success"] == false)
        #expect(answer.fields["errorMsg"]?.string?.isEmpty == false)
        // Where refusals have 200, those of the flow's own rules do; a token and a path never.
        let other = FlowServer(FlowProject(refusals: .body))
        let second = try await send(path, body, token: try await token(other), to: other)
        #expect(second.status == ((1000...1399).contains(code) && status != 401 ? 200 : status))
        #expect(second.fields["errorCode"] == .integer(code))
    }

    @Test
    func
        `every call but that for a token wants one, and only one that is signed, of this client, not expired and not revoked`()
        async throws
    {
        let good = try await token()
        let foreign = WebToken(secret: "other").sign([
            "sub": "flow-app", "exp": 4_000_000_000, "generation": 0,
        ])
        let expired = WebToken(secret: "flow-signing-secret")
            .sign(["sub": "flow-app", "exp": .integer(Int(Date().timeIntervalSince1970)), "generation": 0])
        let other = WebToken(secret: "flow-signing-secret")
            .sign(["sub": "somebody", "exp": 4_000_000_000, "generation": 0])
        for call in [
            "/Device/CreateDevice", "/Auth/Login", "/Auth/Verify", "/api/endpoint", "/Analytics/Track",
        ] {
            for token in [
                nil, "", "Bearer", "Basic x", "Bearer \(foreign)", "Bearer \(expired)", "Bearer \(other)",
            ] {
                let answer = try await send(call, Self.device, token: token)
                #expect(
                    answer.status == 401 && answer.fields["errorCode"] == 1003,
                    "\(call) \(token ?? "none")"
                )
                #expect(answer.head.headerFields[.wwwAuthenticate] == "Bearer")
            }
            #expect(try await send(call, Self.device, token: good).status != 401)
            #expect(
                try await send(call, Self.device, token: good.replacing("Bearer", with: "bearer")).status
                    != 401
            )
        }
        server.revokeTokens()
        #expect(try await send("/Device/CreateDevice", Self.device, token: good).status == 401)
        #expect(try await send("/Device/CreateDevice", Self.device, token: try await token()).status == 200)
    }

    @Test
    func
        `a body that is no object, too long or too deep is refused, and a method that is none is named with those that are`()
        async throws
    {
        let token = try await token()
        for body in ["", "[]", "7", "{", String(repeating: "[", count: 200)] {
            var request = HTTPRequest(method: .post, scheme: "http", authority: "flow", path: "/Auth/Login")
            request.headerFields[.authorization] = token
            let answer = await server.respond(to: request, body: .text(body))
            let fields = try JSONValue(json: try await answer.body.collect(upTo: 1 << 16)).object
            #expect(answer.head.status.code == 400 && fields?["errorCode"] == 1000, "\(body)")
        }
        let long: JSONValue = ["sessionId": .string(String(repeating: "x", count: 70_000))]
        #expect(try await send("/Auth/Login", long, token: token).status == 413)
        let get = try await send("/Auth/Login", nil, token: token, method: .get)
        #expect(get.status == 405 && get.head.headerFields[.allow] == "POST")
        let post = try await send("/openapi.json", [:], token: token)
        #expect(post.status == 405 && post.head.headerFields[.allow] == "GET, HEAD")
    }

    @Test
    func
        `the first log-in makes the account, without regard to letter case and blanks, and later ones need its password`()
        async throws
    {
        let (token, session, user) = try await session(verified: false)
        let again = try await send("/Auth/Login", login(session, email: " ADA@Example.org "), token: token)
        #expect(again.fields["userId"] == user)
        let wrong = try await send("/Auth/Login", login(session, password: "other"), token: token)
        #expect(wrong.status == 400 && wrong.fields["errorCode"] == 1101)
        let noConsent = try await send(
            "/Auth/Login",
            login(session, consents: ["terms": true, "privacy": false]),
            token: token
        )
        #expect(noConsent.fields["errorCode"] == 1102)
        // Another person in the same session has nothing of the first.
        let other = try await send("/Auth/Login", login(session, email: "grace@example.org"), token: token)
        #expect(other.fields["userId"] != user && other.fields["userId"] != nil)
    }

    @Test
    func `a code is compared exactly, five wrong ones lock the session alone, and a right one stays right`()
        async throws
    {
        let (token, session, user) = try await session(verified: false)
        func verify(_ code: JSONValue, _ session: JSONValue, _ user: JSONValue) async throws -> Int? {
            try await send(
                "/Auth/Verify",
                ["sessionId": session, "userId": user, "code": code],
                token: token
            ).fields["errorCode"]?.integer
        }
        #expect(try await verify(424_242, session, user) == 1002)
        for code in [" 424242", "42424", "x", "000000"] as [JSONValue] {
            #expect(try await verify(code, session, user) == 1201)
        }
        #expect(try await verify("1", session, user) == 1201)
        #expect(try await verify("424242", session, user) == 1202)
        let other =
            try await send("/Device/CreateDevice", Self.device, token: token).fields["sessionId"] ?? .null
        _ = try await send("/Auth/Login", login(other), token: token)
        #expect(try await verify("424242", other, user) == 0)
        for _ in 0..<6 { #expect(try await verify("1", other, user) == 1201) }
        #expect(try await verify("424242", other, user) == 0)
        let step: JSONValue = ["sessionId": other, "userId": user, "step": 3, "acceptsTerms": true]
        #expect(try await send("/api/endpoint", step, token: token).fields["errorCode"] == 1301)
    }

    @Test func `steps are taken in order, again without harm, and the last completes`() async throws {
        let (token, session, user) = try await session(verified: true)
        func step(_ fields: [String: JSONValue]) async throws -> [String: JSONValue] {
            let whole = fields.merging(["sessionId": session, "userId": user]) { $1 }
            return try await send("/api/endpoint", .object(whole), token: token).fields
        }
        for number in [0, 2, 3, 4, -1] as [JSONValue] {
            #expect(try await step(["step": number, "address": "a", "city": "c"])["errorCode"] == 1301)
        }
        for date in ["1815-02-30", "10.12.1815", "", "1815-12-10T25:00:00Z"] as [JSONValue] {
            #expect(
                try await step(["step": 1, "fullName": "Ada", "dateOfBirth": date])["errorCode"] == 1002,
                "\(date)"
            )
        }
        let first = try await step(["step": 1, "fullName": "Ada", "dateOfBirth": "1815-12-10"])
        #expect(first["nextStep"] == 2 && first["isCompleted"] == false)
        let again = try await step([
            "step": 1, "fullName": "Ada L", "dateOfBirth": "1815-12-10T10:00:00.000Z",
        ])
        #expect(again["nextStep"] == 2)
        #expect(server.stored(step: 1, of: session.string ?? "")?["fullName"] == "Ada L")
        #expect(try await step(["step": 2, "address": "a", "city": ""])["errorCode"] == 1002)
        #expect(try await step(["step": 2, "address": "a", "city": "c"])["nextStep"] == 3)
        #expect(try await step(["step": 3, "acceptsTerms": false])["errorCode"] == 1002)
        let last = try await step(["step": 3, "acceptsTerms": true])
        #expect(last["nextStep"] == 4 && last["isCompleted"] == true)
        #expect(server.isComplete(session.string ?? ""))
        // A step that is sent again after the end changes its data, and nothing else.
        let late = try await step(["step": 2, "address": "b", "city": "c"])
        #expect(late["nextStep"] == 4 && late["isCompleted"] == true)
    }

    @Test
    func
        `a step of an account that is not verified is refused with 403, and one of somebody else as a wrong field`()
        async throws
    {
        let (token, session, user) = try await session(verified: false)
        let step: JSONValue = [
            "sessionId": session, "userId": user, "step": 1, "fullName": "A", "dateOfBirth": "1815-12-10",
        ]
        let answer = try await send("/api/endpoint", step, token: token)
        #expect(answer.status == 403 && answer.fields["errorCode"] == 1203)
        let foreign: JSONValue = ["sessionId": session, "userId": "other", "step": 1]
        #expect(try await send("/api/endpoint", foreign, token: token).fields["errorCode"] == 1002)
    }

    @Test func `the description names each call that is served, with the fields that it takes`() async throws
    {
        let answer = try await send("/openapi.json", nil, method: .get)
        #expect(answer.status == 200 && answer.fields["openapi"] == "3.1.0")
        let paths = try #require(answer.fields["paths"]?.object)
        let token = try await token()
        for (path, methods) in paths {
            for method in try #require(methods.object?.keys) {
                let answer = try await send(
                    path,
                    method == "post" ? [:] : nil,
                    token: token,
                    method: method == "post" ? .post : .get
                )
                #expect(![404, 405].contains(answer.status), "\(method) \(path)")
            }
            guard let body = methods["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]
            else {
                continue
            }
            // Without any one of the fields that it says are required, a call is refused.
            for schema in body["oneOf"]?.array ?? [body] {
                #expect(schema["required"]?.array?.isEmpty == false, "\(path)")
            }
        }
        #expect(
            Set(paths.keys) == [
                "/Auth/GetToken", "/Device/CreateDevice", "/Auth/Login", "/Auth/Verify", "/api/endpoint",
                "/Analytics/Track", "/openapi.json",
            ]
        )
        let head = try await send("/openapi.json", nil, method: .head)
        #expect(head.status == 200 && head.fields.isEmpty)
    }

    @Test(arguments: FlowServer.faultPoints.map(\.name))
    func `each fault point changes what a call is answered with, or how a token is`(_ name: String)
        async throws
    {
        let plain = try await session(verified: true)
        let step: JSONValue = [
            "sessionId": plain.session, "userId": plain.user, "step": 1, "fullName": "A",
            "dateOfBirth": "1815-12-10",
        ]
        let isOfToken = name.hasPrefix("flow.token.")
        let refused: JSONValue = ["sessionId": plain.session]
        try server.faults.arm(name)
        let clock = ContinuousClock.now
        let answer: (status: Int, fields: [String: JSONValue], head: HTTPResponse)?
        switch name {
        case _ where isOfToken:
            let given = try await send(
                "/Auth/GetToken",
                ["clientId": "flow-app", "clientSecret": "flow-client-secret"]
            )
            let now = Int(Date().timeIntervalSince1970)
            let end = given.fields["expires_on"]?.integer
            #expect(end.map { !(now + 800...now + 1000).contains($0) } ?? true)
            return
        case "flow.otherForm": answer = try await send("/Auth/Verify", refused, token: plain.token)
        default: answer = try? await send("/api/endpoint", step, token: plain.token)
        }
        switch name {
        case "http.slow": #expect(ContinuousClock.now - clock >= .milliseconds(900))
        case "flow.otherForm": #expect(answer?.status == 200 && answer?.fields["errorCode"] == 1002)
        case "flow.answerCut": #expect(answer == nil)
        case "flow.answerLost": #expect(answer?.status == 504)
        case "flow.revoked": #expect(answer?.status == 401)
        case "flow.busy":
            #expect(answer?.fields["errorCode"] == 9000 && answer?.head.headerFields[.retryAfter] == "1")
        case "flow.empty": #expect(answer?.status == 500 && answer?.fields.isEmpty == true)
        default: #expect(answer?.fields["success"] != true)
        }
        // What is lost after it took effect has taken effect.
        let isStored = server.stored(step: 1, of: plain.session.string ?? "") != nil
        #expect(isStored == ["http.slow", "flow.answerCut", "flow.answerLost"].contains(name))
    }
}
