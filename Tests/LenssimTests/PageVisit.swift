import Foundation
import HTTPTypes
import LiveTransport
import Testing
import Transport

/// A page of a program that is open in a browser, driven by a test.
final class PageVisit {
    private let transport: LiveTransport
    private let socket: any WebSocket
    private let authority: String
    private let fields: HTTPFields
    /// What the server calls the page; empty before anything has come.
    private(set) var name = ""
    private var count = 0
    private var states: [String: String] = [:]
    private var done: Set<Int> = []

    /// Opens the address that a program has printed.
    ///
    /// - Parameter program: The program's name, which its cookie has.
    init(_ address: String, of program: String) async throws {
        let url = try #require(URL(string: address))
        let port = try #require(url.port)
        let token = try #require(address.split(separator: "token=").last)
        authority = "127.0.0.1:\(port)"
        var fields = HTTPFields()
        fields[.cookie] = "\(program)-\(port)=\(token)"
        fields[.origin] = "http://\(authority)"
        self.fields = fields
        let request = HTTPRequest(
            method: .get,
            scheme: "ws",
            authority: authority,
            path: "/socket",
            headerFields: fields
        )
        let transport = try LiveTransport()
        do {
            socket = try await transport.connect(
                request,
                limits: WebSocketLimits(),
                timeout: Self.patience
            )
            try await socket.send(text: #"{"hello":{"presence":{"speaks":false,"visible":true}}}"#)
        } catch {
            // One that is not shut down ends the process.
            await transport.shutdown()
            throw error
        }
        self.transport = transport
    }

    /// What takes longer stands still, also on a machine under load.
    private static let patience = Duration.seconds(240)

    /// Does something on a screen, and waits until it is done.
    func act(_ screen: String, _ action: String) async throws {
        count += 1
        let number = count
        try await socket.send(text: #"{"id":\#(number),"screen":"\#(screen)","action":\#(action)}"#)
        while !done.contains(number) { try await receive() }
    }

    /// Does something that has a secret.
    func enter(_ screen: String, _ action: String) async throws {
        while name.isEmpty { try await receive() }
        let body = #"{"screen":"\#(screen)","action":\#(action)}"#
        #expect(try await post("/secret?page=\(name)", Array(body.utf8)) == 200)
    }

    /// Sends something beside the socket, and returns the status.
    func post(_ path: String, _ body: [UInt8]) async throws -> Int {
        let request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: authority,
            path: path,
            headerFields: fields
        )
        let answer = try await transport.send(request, body: .bytes(body), timeout: Self.patience)
        return answer.head.status.code
    }

    /// Waits until the state of a screen has a text.
    func waits(for text: String, on screen: String) async throws {
        while states[screen]?.contains(text) != true { try await receive() }
    }

    /// The state of a screen as JSON; `nil` where none came.
    func state(of screen: String) -> String? { states[screen] }

    /// Fetches something beside the socket.
    func get(_ path: String) async throws -> (status: Int, body: [UInt8]) {
        try await get(path, atOnce: 1)[0]
    }

    /// Fetches the same several times at once.
    func get(_ path: String, atOnce count: Int) async throws -> [(status: Int, body: [UInt8])] {
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: authority,
            path: path,
            headerFields: fields
        )
        let transport = transport
        return try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    let answer = try await transport.send(request, body: .empty, timeout: Self.patience)
                    return (answer.head.status.code, try await answer.body.collect(upTo: 1 << 24))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Closes the page.
    func close() async {
        await socket.close(.normal)
        await transport.shutdown()
    }

    private func receive() async throws {
        guard case .text(let text) = try await socket.receive() else {
            throw TransportError(.reset, operation: "show the page", peer: authority)
        }
        let message = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        if let welcome = message["welcome"] as? [String: Any] { name = welcome["page"] as? String ?? "" }
        if let screen = message["screen"] as? String {
            states[screen] = text
        } else if let number = message["id"] as? Int {
            #expect(message["ok"] as? Bool == true, "\(text)")
            done.insert(number)
        }
    }
}
