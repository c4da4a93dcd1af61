import HTTPTypes

/// Files and folders of a server, by their paths without escapes; the top is "".
struct ServedFolder {
    struct File {
        var bytes: [UInt8]
        var type: String
        /// Another one for each upload.
        var tag: String
    }

    enum Node {
        case folder
        case file(File)
    }

    /// Says 403 to who makes a folder that is there, and 500 to who moves into one that is missing, as Apache does.
    let hasOwnStatuses: Bool
    private(set) var nodes: [String: Node] = ["": .folder]
    private var uploads = 0

    init(hasOwnStatuses: Bool) { self.hasOwnStatuses = hasOwnStatuses }

    func file(_ path: String) -> File? {
        if case .file(let file) = nodes[path] { file } else { nil }
    }

    func isFolder(_ path: String) -> Bool { if case .folder = nodes[path] { true } else { false } }

    func hasParent(_ path: String) -> Bool { isFolder(Self.parent(of: path)) }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// What lies in a folder, in no order that anybody could rely on.
    func members(of folder: String) -> [String] {
        nodes.keys.filter { !$0.isEmpty && Self.parent(of: $0) == folder }.sorted { $0 > $1 }
    }

    mutating func makeFolder(_ path: String) -> HTTPResponse.Status {
        guard nodes[path] == nil else { return hasOwnStatuses ? .forbidden : .methodNotAllowed }
        guard hasParent(path) else { return .conflict }
        nodes[path] = .folder
        return .created
    }

    /// Stores a file, where the conditions are met.
    mutating func put(_ bytes: [UInt8], at path: String, _ fields: HTTPFields) -> HTTPResponse.Status {
        guard !isFolder(path) else { return .methodNotAllowed }
        guard hasParent(path) else { return .conflict }
        let old = file(path)
        if fields[.ifNoneMatch] == "*", old != nil { return .preconditionFailed }
        if let tag = fields[.ifMatch], tag != old?.tag { return .preconditionFailed }
        uploads += 1
        let type = fields[.contentType] ?? "application/octet-stream"
        nodes[path] = .file(File(bytes: bytes, type: type, tag: "\"\(uploads)-\(bytes.count)\""))
        return old == nil ? .created : .noContent
    }

    mutating func remove(_ path: String, _ fields: HTTPFields) -> HTTPResponse.Status {
        guard nodes[path] != nil else { return .notFound }
        if isFolder(path), fields.depth == "0" { return .badRequest }
        for name in nodes.keys where name == path || name.hasPrefix(path + "/") { nodes[name] = nil }
        return .noContent
    }

    /// Copies or moves a file; folders are not what the store asks for.
    mutating func copy(
        _ path: String,
        to target: String,
        _ fields: HTTPFields,
        isMove: Bool
    ) -> HTTPResponse.Status {
        guard let node = nodes[path] else { return .notFound }
        guard !isFolder(path) else { return .badRequest }
        guard hasParent(target) else {
            return isMove && hasOwnStatuses ? .internalServerError : .conflict
        }
        guard nodes[target] == nil || fields.overwrite != "F" else { return .preconditionFailed }
        nodes[target] = node
        if isMove { nodes[path] = nil }
        return .created
    }
}

extension HTTPFields {
    var depth: String? { HTTPField.Name("Depth").flatMap { self[$0] } }
    var overwrite: String? { HTTPField.Name("Overwrite").flatMap { self[$0] } }
    var destination: String? { HTTPField.Name("Destination").flatMap { self[$0] } }
}
