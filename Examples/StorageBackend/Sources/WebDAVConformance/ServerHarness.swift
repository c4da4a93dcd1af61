import Conformance
import Foundation
import HTTPTypes
import LiveTransport
import ObjectStoreConformance
import Services
import Synchronization
import Transport
import WebDAVStorage

/// Folders of a server that is there, one for each case.
struct ServerHarness: ObjectStoreHarness {
    /// The store of one folder, whose next call can have a wrong login.
    struct Store: ForwardingObjectStore {
        let base: any ObjectStore
        let isRefused: WrongLogin
    }

    /// Whether the next call has a wrong login.
    final class WrongLogin: Sendable {
        private let isNext = Atomic(false)

        func set() { isNext.store(true, ordering: .relaxed) }
        func take() -> Bool { isNext.exchange(false, ordering: .relaxed) }
    }

    let client: LiveTransport
    let address: String
    /// Where anybody reads; `nil` where nobody may.
    let publicAddress: String?
    let login: String
    private let folder = "conformance-\(UUID().uuidString)"

    var capabilities: Set<InjectedFailure> { login.isEmpty ? [] : [.unauthorized] }
    var secrets: [String] { login.isEmpty ? [] : [login, Data(login.utf8).base64EncodedString()] }

    init(client: LiveTransport, address: String, publicAddress: String?, login: String) {
        (self.client, self.address, self.publicAddress, self.login) = (client, address, publicAddress, login)
    }

    func makeStore() async throws -> Store {
        let own = "\(folder)/\(UUID().uuidString)"
        // The first case makes the folder of them all.
        _ = try await send("MKCOL", folder)
        guard try await send("MKCOL", own) == 201 else { throw Unusable(address: address) }
        let configuration = WebDAVConfiguration(
            address: "\(address)/\(own)",
            login: login.isEmpty ? nil : Secret(login),
            publicAddress: publicAddress.map { "\($0)/\(own)" }
        )
        let isRefused = WrongLogin()
        let base = WebDAVObjectStore(client: client) { () throws(SecretStoreError) in
            var current = configuration
            if isRefused.take() { current.login = Secret("nobody:guess") }
            return current
        }
        return Store(base: base, isRefused: isRefused)
    }

    func inject(_ failure: InjectedFailure, into store: Store) { store.isRefused.set() }

    func read(publicURL: String, of store: Store) async throws -> [UInt8]? {
        guard publicAddress != nil, let url = URL(string: publicURL) else { return nil }
        let answer = try await client.send(
            HTTPRequest(method: .get, url: url),
            body: .empty,
            timeout: .seconds(30)
        )
        return answer.head.status == .ok ? try await answer.body.collect(upTo: 1 << 20) : []
    }

    /// Removes what the cases have left.
    func end() async throws {
        let status = try await send("DELETE", folder)
        await client.shutdown()
        guard [204, 404].contains(status) else { throw Unusable(address: address) }
    }

    /// The server does not let us make or remove a folder.
    struct Unusable: Error {
        let address: String
    }

    private func send(_ method: String, _ path: String) async throws -> Int {
        guard let url = URL(string: "\(address)/\(path)/"), let method = HTTPRequest.Method(method) else {
            throw Unusable(address: address)
        }
        var request = HTTPRequest(method: method, url: url)
        if !login.isEmpty {
            request.headerFields[.authorization] = "Basic \(Data(login.utf8).base64EncodedString())"
        }
        return try await client.send(request, body: .empty, timeout: .seconds(30)).head.status.code
    }
}
