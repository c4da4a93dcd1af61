import Foundation
import HTTPTypes
import ObjectTransfer
import ServiceClient
import Services
import Transport

/// One call of the store for an object.
struct WebDAVCall: Sendable {
    /// The methods beyond those of HTTP (RFC 4918 section 9).
    enum Method: String {
        case propfind = "PROPFIND"
        case mkcol = "MKCOL"
        case copy = "COPY"
        case move = "MOVE"

        var name: HTTPRequest.Method {
            guard let name = HTTPRequest.Method(rawValue) else {
                preconditionFailure("it is a token of HTTP")
            }
            return name
        }
    }

    let operation: ObjectOperation
    let key: ObjectKey
    let configuration: WebDAVConfiguration
    let address: ServiceAddress
    private let credentials: Secret?
    private let service: ServiceClient

    /// Where anybody reads objects; `nil` for an address that cannot be used.
    var publicAddress: ServiceAddress? {
        ServiceAddress(configuration.publicAddress ?? configuration.address)
    }

    init(
        _ operation: String,
        _ key: ObjectKey,
        _ configuration: WebDAVConfiguration,
        _ client: any HTTPClient
    ) throws(ObjectStoreError) {
        (self.key, self.configuration) = (key, configuration)
        let login = configuration.login?.reveal()
        let password = login.map { Secret(String($0.drop { $0 != ":" }.dropFirst())) }
        credentials = login.map { Secret(Data($0.utf8).base64EncodedString()) }
        let secrets = [credentials, configuration.login, password].compactMap(\.self)
        self.operation = ObjectOperation(operation, key, clearing: secrets)
        guard let address = ServiceAddress(configuration.address) else {
            throw self.operation.error(
                .notConfigured,
                "the address is not http:// or https://, host and path"
            )
        }
        self.address = address
        // What may be repeated, and when, is decided by whoever knows what an upload is for.
        var policy = CallPolicy.once
        policy.limits = HTTPLimits(each: configuration.timeout)
        policy.deadline = nil
        service = ServiceClient(client, policy: policy) { address }
    }

    // MARK: Requests

    /// A request for what lies at a path below the store's folder.
    func request(_ method: HTTPRequest.Method, _ path: String) -> Call {
        var call = Call(method, "/" + ServerPath.escaped(path), repeats: .whenNothingWasSent)
        // Objects may be pages, and servers describe in one what they have created.
        call.admitsPages = true
        call.headerFields[.accept] = "*/*"
        if let credentials { call.carry(credentials, in: "Authorization", scheme: "Basic") }
        return call
    }

    // MARK: Reading

    /// Sends a request that changes nothing.
    func ask(_ request: Call) async throws(ObjectStoreError) -> StreamedAnswer {
        do throws(ServiceFailure) { return try await service.open(request) } catch {
            throw await meaning(of: error)
        }
    }

    /// What is in a folder below the store's, which is "" itself; nothing where it is absent.
    func entries(of folder: String) async throws(ObjectStoreError) -> [FolderList.Entry] {
        do throws(ObjectStoreError) { return try await list(folder, depth: 1).entries } catch {
            // Somebody has removed it since it was seen.
            if error.code == .notFound { return [] }
            throw error
        }
    }

    private func list(_ folder: String, depth: Int) async throws(ObjectStoreError) -> FolderList {
        var request = request(Method.propfind.name, folder.isEmpty ? "" : folder + "/")
        request.set("Depth", "\(depth)")
        request.body = .text(FolderList.request)
        request.contentType = "application/xml; charset=utf-8"
        let answer: StreamedAnswer
        do throws(ServiceFailure) { answer = try await service.open(request) } catch {
            if [404, 410].contains(error.status), folder.isEmpty {
                throw self.error(.notConfigured, "the server has no folder at the store's address")
            }
            throw await meaning(of: error)
        }
        let body = try await operation.read(
            answer,
            upTo: FolderList.lengthMaximum,
            within: configuration.timeout
        )
        do throws(FolderList.Damage) {
            return try FolderList(reading: body, of: address.root + request.path)
        } catch {
            throw self.error(.serverError, "HTTP \(answer.head.status.code), but \(error.detail)")
        }
    }

    // MARK: Changing

    /// Changes something, and makes the folders of a key where the server misses them.
    ///
    /// - Parameters:
    ///   - key: The key that needs them.
    ///   - isKnown: Whether the folders are made first, without a try.
    ///   - change: Is false where folders are missing, and is called a second time then.
    func inFolders(
        of key: ObjectKey,
        areMissing isKnown: Bool = false,
        _ change: () async throws(ObjectStoreError) -> Bool
    ) async throws(ObjectStoreError) {
        if !isKnown, try await change() { return }
        var refusal: ServiceFailure?
        for folder in ServerPath.folders(of: key) {
            do throws(ServiceFailure) {
                _ = try await service.open(request(Method.mkcol.name, folder + "/"))
            } catch {
                // 405 says that it is there; Apache says 403 when another upload was faster. The change tells.
                guard error.code == .refused else { throw await meaning(of: error) }
                refusal = error
            }
        }
        if try await change() { return }
        _ = try await list("", depth: 0)
        if let refusal { throw await meaning(of: refusal) }
        throw error(.serverError, "HTTP 409, although the folders are there")
    }

    /// Sends a request that changes something.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - unmet: What it means when the server says that a condition is not met.
    /// - Returns: False where folders on the way are missing.
    func change(
        _ request: Call,
        unmet: ObjectStoreError.Code = .alreadyExists
    ) async throws(ObjectStoreError) -> Bool {
        let answer: StreamedAnswer
        do throws(ServiceFailure) { answer = try await service.open(request) } catch {
            if error.status == 409 { return false }
            throw await meaning(of: error, unmet)
        }
        let (status, type) = (answer.head.status, answer.head.headerFields[.contentType] ?? "")
        // 207 says that a part was not done; 200 with a page, that somebody stands between.
        let isDone =
            status == .ok
            ? !type.lowercased().hasPrefix("text/html") : status == .created || status == .noContent
        guard isDone else {
            throw error(.serverError, "HTTP \(status.code), but not the word that it is done")
        }
        return true
    }

    // MARK: Errors

    func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        operation.error(code, detail)
    }

    /// What it means that a request had no success: the one place that decides it.
    private func meaning(
        of failure: ServiceFailure,
        _ unmet: ObjectStoreError.Code = .alreadyExists
    ) async -> ObjectStoreError {
        var error = operation.error(failure, WebDAVRefusal(failure))
        switch failure.status {
        case 404, 410:
            // Anybody in between can say so: only a server that shows the store's folder is believed.
            do { _ = try await list("", depth: 0) } catch { return error }
        case 412: error.code = unmet
        // A lock, and a full disk: nothing was done.
        case 423, 507: error.mayHaveTakenEffect = false
        default: break
        }
        return error
    }
}
