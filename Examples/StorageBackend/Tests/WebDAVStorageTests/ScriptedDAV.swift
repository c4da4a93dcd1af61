import Foundation
import HTTPTypes
import Synchronization
import Transport

/// A WebDAV server with one folder, `/dav`.
///
/// What it models: the methods that the store uses, conditions, `Overwrite`, `Depth`, ranges, a login without which objects can only be
/// read, lists in two forms, bodies that come in pieces of any length, answers that do not wait for a body, and refusals that repeat the
/// login. It loses answers, falls silent and breaks off when it is told to.
///
/// What it does not model: locks, properties that clients set, `If`, copies of folders; servers that tell types by endings, whose tags are
/// weak or equal for a second, that keep half a body, or take one key twice at once.
///
/// Compared with Apache and WsgiDAV by the same suite, which `WebDAVConformance` runs there.
final class ScriptedDAV: Server {
    /// How servers differ.
    enum Form: CaseIterable {
        /// In lists `D:` before each name, and paths; some statuses of its own.
        case prefixed
        /// In lists no prefix, whole addresses, and more escapes than are needed.
        case plain
    }

    /// What becomes of the next request.
    enum Trouble: Sendable {
        /// Somebody answers with this, and nothing else happens.
        case answers(HTTPResponse.Status, HTTPFields = [:], String = "")
        /// Nothing happens, and nobody answers.
        case silence
        /// It is done, and then nobody answers; a folder that is made on the way does not count.
        case lostAnswer
        /// It is done, and before the answer this.
        case before(@Sendable () -> Void)
        /// The answer ends after as many bytes of its body.
        case breaksOff(after: Int)
    }

    static let login = "me:sesame-7"
    static let credentials = "Basic bWU6c2VzYW1lLTc="
    /// Bytes of the largest file.
    static let sizeLimit = 700_000

    private struct State {
        var top: ServedFolder
        var troubles: [Trouble] = []
        var log: [HTTPRequest] = []
    }

    private let form: Form
    private let state: Mutex<State>

    init(_ form: Form = .prefixed) {
        self.form = form
        state = Mutex(State(top: ServedFolder(hasOwnStatuses: form == .prefixed)))
    }

    /// Methods and paths of what was asked.
    var requests: [String] { state.withLock { $0.log.map { "\($0.method) \($0.path ?? "")" } } }

    func meet(_ troubles: Trouble...) { state.withLock { $0.troubles += troubles } }

    func forgetTroubles() { state.withLock { $0.troubles = [] } }

    /// What lies there, as a person would look at the disk.
    func file(_ path: String) -> ServedFolder.File? { state.withLock { $0.top.file(path) } }

    /// Puts something there by hand.
    func arrange(_ change: @Sendable (inout ServedFolder) -> Void) { state.withLock { change(&$0.top) } }

    // MARK: Answers

    typealias Answer = (head: HTTPResponse, body: HTTPBody)

    func respond(to request: HTTPRequest, body: HTTPBody) async -> Answer {
        let trouble = state.withLock { state in
            state.log.append(request)
            return state.troubles.isEmpty ? nil : state.troubles.removeFirst()
        }
        switch trouble {
        case .answers(let status, let fields, let text):
            return (HTTPResponse(status: status, headerFields: fields), .text(text))
        case .silence: await Self.beSilent()
        default: break
        }
        let answer = await answer(to: request, body)
        switch trouble {
        case .lostAnswer:
            if answer.head.status.kind == .successful, request.method.rawValue != "MKCOL" {
                await Self.beSilent()
            } else if let trouble {
                state.withLock { $0.troubles.insert(trouble, at: 0) }
            }
        case .before(let event): event()
        case .breaksOff(let count): return (answer.head, Self.pieces(of: answer.body, upTo: count))
        default: break
        }
        return (answer.head, Self.pieces(of: answer.body))
    }

    /// Longer than any client waits.
    private static func beSilent() async { try? await Task.sleep(for: .seconds(600)) }

    private func answer(to request: HTTPRequest, _ body: HTTPBody) async -> Answer {
        let (method, fields) = (request.method.rawValue, request.headerFields)
        let login = fields[.authorization]
        guard login == Self.credentials || login == nil && ["GET", "HEAD"].contains(method) else {
            return (
                HTTPResponse(status: .unauthorized), .text("not \(Self.decoded(login ?? "")), \(login ?? "")")
            )
        }
        guard let path = Self.path(request.path ?? "") else { return Self.status(.notFound) }
        switch method {
        case "GET", "HEAD": return get(path, fields[.range])
        case "PUT": return await put(path, fields, body)
        case "DELETE": return changed { $0.remove(path, fields) }
        case "MKCOL": return changed { $0.makeFolder(path) }
        case "COPY", "MOVE":
            guard let target = fields.destination.flatMap({ Self.path($0) }) else {
                return Self.status(.badRequest)
            }
            return changed { $0.copy(path, to: target, fields, isMove: method == "MOVE") }
        case "PROPFIND":
            guard (try? await body.collect(upTo: 4096))?.isEmpty == false else {
                return Self.status(.badRequest)
            }
            return list(path, fields)
        default: return Self.status(.methodNotAllowed)
        }
    }

    private static func decoded(_ login: String) -> String {
        Data(base64Encoded: String(login.dropFirst("Basic ".count))).map {
            String(decoding: $0, as: UTF8.self)
        } ?? ""
    }

    private static func status(_ status: HTTPResponse.Status) -> Answer {
        // As servers write it, also where something was created.
        let fields: HTTPFields = [.contentType: "text/html; charset=utf-8"]
        let page = "<html><title>\(status)</title></html>"
        return (
            HTTPResponse(status: status, headerFields: fields), status == .noContent ? .empty : .text(page)
        )
    }

    private func changed(_ change: (inout ServedFolder) -> HTTPResponse.Status) -> Answer {
        Self.status(state.withLock { change(&$0.top) })
    }

    /// The path below the folder, without escapes and without a slash at its end.
    private static func path(_ address: String) -> String? {
        let path =
            address.firstRange(of: "://").map { address[$0.upperBound...].drop { $0 != "/" } } ?? address[...]
        let names = path.split(separator: "/").compactMap { $0.removingPercentEncoding }
        guard names.first == "dav", !names.contains(where: { $0.contains("/") }) else { return nil }
        return names.dropFirst().joined(separator: "/")
    }

    // MARK: Files

    private func get(_ path: String, _ range: String?) -> Answer {
        let (file, isFolder) = state.withLock { ($0.top.file(path), $0.top.isFolder(path)) }
        if isFolder {
            return (HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]), .text("<html>"))
        }
        guard let file else { return Self.status(.notFound) }
        var fields: HTTPFields = [.contentType: file.type, .eTag: file.tag]
        guard let range else { return (HTTPResponse(status: .ok, headerFields: fields), .bytes(file.bytes)) }
        let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] < file.bytes.count else { return Self.status(.rangeNotSatisfiable) }
        let last = min(ends[1], file.bytes.count - 1)
        fields[.contentRange] = "bytes \(ends[0])-\(last)/\(file.bytes.count)"
        let bytes = Array(file.bytes[ends[0]...last])
        return (HTTPResponse(status: .partialContent, headerFields: fields), .bytes(bytes))
    }

    private func put(_ path: String, _ fields: HTTPFields, _ body: HTTPBody) async -> Answer {
        // It does not wait for a body that it will not store.
        guard state.withLock({ $0.top.hasParent(path) }) else { return Self.status(.conflict) }
        guard let bytes = try? await body.collect(upTo: Self.sizeLimit) else {
            return Self.status(.contentTooLarge)
        }
        return changed { $0.put(bytes, at: path, fields) }
    }

    // MARK: Lists

    private func list(_ path: String, _ fields: HTTPFields) -> Answer {
        let top = state.withLock { $0.top }
        guard top.nodes[path] != nil else { return Self.status(.notFound) }
        let paths = [path] + (fields.depth == "1" ? top.members(of: path) : [])
        let entries = paths.map { entry($0, top) }.joined()
        let (prefix, space) = form == .prefixed ? ("D:", "xmlns:D") : ("", "xmlns")
        let text = """
            <?xml version="1.0" encoding="utf-8"?>
            <\(prefix)multistatus \(space)="DAV:">\(entries)</\(prefix)multistatus>
            """
        let status = HTTPResponse.Status(code: 207, reasonPhrase: "Multi-Status")
        return (HTTPResponse(status: status, headerFields: [.contentType: "application/xml"]), .text(text))
    }

    private func entry(_ path: String, _ top: ServedFolder) -> String {
        let prefix = form == .prefixed ? "D:" : ""
        func element(_ name: String, _ content: String) -> String {
            content.isEmpty ? "<\(prefix)\(name)/>" : "<\(prefix)\(name)>\(content)</\(prefix)\(name)>"
        }
        let literal = form == .prefixed ? CharacterSet.urlPathAllowed : .alphanumerics
        let names = (["dav"] + path.split(separator: "/").map { String($0) })
            .compactMap { $0.addingPercentEncoding(withAllowedCharacters: literal) }
        let file = top.file(path)
        let slash = file == nil ? "/" : ""
        let address =
            (form == .prefixed ? "" : "http://dav.example.com") + "/" + names.joined(separator: "/") + slash
        let xml = address.replacing("&", with: "&amp;")
        let found = element("status", "HTTP/1.1 200 OK")
        if let file {
            let properties = [
                element("resourcetype", ""), element("getcontentlength", "\(file.bytes.count)"),
                element("getetag", file.tag.replacing("\"", with: "&quot;")),
            ]
            let known = element("propstat", element("prop", properties.joined()) + found)
            return element("response", element("href", xml) + known)
        }
        let kind = element("resourcetype", element("collection", ""))
        let missing = element("prop", element("getcontentlength", "") + element("getetag", ""))
        return element(
            "response",
            element("href", xml)
                + element("propstat", missing + element("status", "HTTP/1.1 404 Not Found"))
                + element("propstat", element("prop", kind) + found)
        )
    }

    // MARK: Bytes

    /// The same bytes in pieces of lengths from 1 to 4,000, each in its turn.
    private static func pieces(of body: HTTPBody, upTo end: Int? = nil) -> HTTPBody {
        guard case .bytes(let bytes) = body, !bytes.isEmpty else { return body }
        let place = Mutex((start: 0, count: 0))
        let stream = ByteStream { () async throws(TransportError) in
            let piece = place.withLock { place -> [UInt8]? in
                let length = 1 + place.count * 617 % 4_000
                let piece = bytes[place.start...].prefix(min(length, (end ?? .max) - place.start))
                place = (place.start + piece.count, place.count + 1)
                return piece.isEmpty ? nil : Array(piece)
            }
            if piece == nil, end != nil {
                throw TransportError(.reset, operation: "send body", peer: "client", detail: "in a test")
            }
            return piece
        }
        return .stream(stream, length: bytes.count)
    }
}
