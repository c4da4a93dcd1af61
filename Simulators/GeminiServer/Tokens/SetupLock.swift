import PeerKit

/// What a token lays down of the setups of its sessions.
///
/// Not confirmed: that the handle of a client counts where the token has `sessionResumption`, without which nothing could be
/// gone on with, and that its model does where the token names none.
enum SetupLock: Sendable, Hashable {
    /// Nothing: the client's setup counts.
    case nothing
    /// All of it: the client's setup is not looked at.
    case whole(JSONValue)
    /// The fields at these paths, whether the token has them or not.
    case fields(Set<[String]>, JSONValue)

    /// Reads a setup whose names are in snake_case, and a mask of paths with commas between them, in either case.
    init(setup: JSONValue?, mask: String) throws(GeminiFailure) {
        var paths: Set<[String]> = []
        for text in mask.split(separator: ",") {
            let path = text.split(separator: ".", omittingEmptySubsequences: false).map {
                String($0).trimmingBlanks.snakeCased
            }
            guard LiveShapes.setup.hasField(path[...]) else {
                throw .invalid(
                    "Invalid field mask: there is no field \"\(text.prefix(100))\" in BidiGenerateContentSetup."
                )
            }
            paths.insert(path)
        }
        if !paths.isEmpty {
            self = .fields(paths, setup ?? [:])
        } else if let setup {
            self = .whole(setup)
        } else {
            self = .nothing
        }
    }

    /// The setup with which a session of a client begins.
    func applied(to setup: JSONValue) -> JSONValue {
        var effective: JSONValue
        switch self {
        case .nothing: return setup
        case .whole(let own):
            effective = own
            if own["model"] == nil { effective = effective.setting(["model"], to: setup["model"]) }
        case .fields(let paths, let own):
            effective = setup
            // Shorter ones first: what is below them is part of them.
            for path in paths.sorted(by: { $0.count < $1.count }) {
                effective = effective.setting(path[...], to: path.reduce(own as JSONValue?) { $0?[$1] })
            }
        }
        if effective["session_resumption"] != nil, let handle = setup["session_resumption"]?["handle"] {
            effective = effective.setting(["session_resumption", "handle"], to: handle)
        }
        return effective
    }
}

extension MessageShape {
    /// Whether a path leads to a field through messages alone.
    fileprivate func hasField(_ path: ArraySlice<String>) -> Bool {
        guard let name = path.first, let field = fields[name] else { return false }
        if path.count == 1 { return true }
        guard case .message(let inner) = field else { return false }
        return inner.hasField(path.dropFirst())
    }
}

extension JSONValue {
    /// The object with another value at a path; `nil` leaves the place empty.
    fileprivate func setting(_ path: ArraySlice<String>, to value: JSONValue?) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        var members = object ?? [:]
        if path.count == 1 {
            members[name] = value
        } else if value != nil || members[name] != nil {
            members[name] = (members[name] ?? [:]).setting(path.dropFirst(), to: value)
        }
        return .object(members)
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
