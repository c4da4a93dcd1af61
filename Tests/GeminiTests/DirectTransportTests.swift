import DirectTransport
import HTTPTypes
import Testing
import Transport

@Suite("Direct transport", .timeLimit(.minutes(1)))
struct DirectTransportTests {
    /// Echoes bodies, or takes forever.
    private struct Echo: Server {
        let answers: Bool

        func respond(
            to request: HTTPRequest,
            body: HTTPBody
        ) async -> (head: HTTPResponse, body: HTTPBody) {
            if !answers { try? await Task.sleep(for: .seconds(86_400)) }
            return (HTTPResponse(status: .ok), body)
        }
    }

    private static func request(_ authority: String, scheme: String = "http") -> HTTPRequest {
        HTTPRequest(method: .post, scheme: scheme, authority: authority, path: "/echo?key=hidden")
    }

    @Test("a request reaches the server of its authority, with the scheme's port when none is named")
    func request() async throws {
        let transport = DirectTransport(["echo.test:443": Echo(answers: true)])
        for authority in ["echo.test", "ECHO.test:443"] {
            let answer = try await transport.send(
                Self.request(authority, scheme: "https"),
                body: .text("hello"),
                timeout: .seconds(60)
            )
            #expect(answer.head.status == .ok)
            #expect(try await answer.body.collect(upTo: 100) == Array("hello".utf8))
        }
    }

    @Test("an unknown authority is refused, and the error does not show the query")
    func refused() async throws {
        let transport = DirectTransport()
        await #expect {
            _ = try await transport.send(Self.request("nobody.test"), body: .empty, timeout: .seconds(60))
        } throws: { error in
            (error as? TransportError)?.code == .refused && !"\(error)".contains("hidden")
        }
    }

    @Test("a server that does not answer is given up after the timeout")
    func timeout() async throws {
        let transport = DirectTransport(["slow.test:80": Echo(answers: false)])
        await #expect {
            _ = try await transport.send(Self.request("slow.test"), body: .empty, timeout: .milliseconds(1))
        } throws: { ($0 as? TransportError)?.code == .timedOut }
        await transport.stop()
    }

    @Test("a handshake without WebSockets is refused with its status")
    func upgradeRefused() async throws {
        let transport = DirectTransport(["echo.test:80": Echo(answers: true)])
        await #expect {
            _ = try await transport.connect(
                Self.request("echo.test", scheme: "ws"),
                limits: WebSocketLimits(),
                timeout: .seconds(60)
            )
        } throws: { error in
            (error as? TransportError)?.code == .upgradeRefused && (error as? TransportError)?.status == 426
        }
    }

    @Test("stopping a listener ends its sessions and frees its address")
    func listener() async throws {
        let transport = DirectTransport()
        let server = ScriptedServer { socket in _ = try? await socket.receive() }
        let listener = try await transport.listen(server, at: .loopback())
        let request = Self.request(listener.address.description, scheme: "ws")
        let socket = try await transport.connect(request, limits: WebSocketLimits(), timeout: .seconds(60))
        await #expect(throws: TransportError.self) {
            _ = try await transport.listen(server, at: listener.address)
        }
        await listener.stop()
        #expect(try await socket.receive() == .closed(.normal))
        await #expect {
            _ = try await transport.connect(request, limits: .init(), timeout: .seconds(60))
        } throws: {
            ($0 as? TransportError)?.code == .refused
        }
    }

    @Test("datagrams are not offered")
    func datagrams() async throws {
        await #expect { _ = try await DirectTransport().bind(.loopback()) } throws: {
            ($0 as? TransportError)?.code == .addressUnavailable
        }
    }
}
