public import GeminiServer
import PeerKit
import Yams

extension GeminiScriptFile {
    /// The text of a file with these rules; ``brain(of:)`` reads the same rules from it.
    ///
    /// Texts are quoted, so that none of them is taken for a number or a truth value. A message with several texts, which
    /// only code can make, is written as several messages; words to a prompt that is blocked, and what a turn tells beside its
    /// words, are left out.
    ///
    /// - Returns: `nil` when the file would be longer than ``lengthMaximum``, or the rules are more than a file may hold.
    public static func text(of rules: [GeminiRule]) -> String? {
        guard !rules.isEmpty, rules.count <= ScriptFields.mostElements else { return nil }
        let file = Node.fields([("version", Node("1")), ("rules", .list(rules.map(\.node)))])
        guard let text = try? Yams.serialize(node: file, width: -1, allowUnicode: true),
            text.utf8.count <= lengthMaximum
        else { return nil }
        return text
    }
}

extension Node {
    /// A mapping in this order; entries without a value are left out.
    fileprivate static func fields(_ pairs: [(String, Node?)]) -> Node {
        .mapping(Mapping(pairs.compactMap { name, value in value.map { (Node(name), $0) } }))
    }

    fileprivate static func list(_ nodes: [Node]) -> Node { .sequence(Sequence(nodes)) }

    /// A text that is read as a text.
    fileprivate static func quoted(_ text: String) -> Node { Node(text, Tag(.str), .doubleQuoted) }

    fileprivate static func flag(_ flag: Bool) -> Node { Node(flag ? "true" : "false") }

    fileprivate static func json(_ value: JSONValue) -> Node {
        switch value {
        case .string(let text): quoted(text)
        case .array(let values): .list(values.map(json))
        case .object(let members):
            .mapping(Mapping(members.sorted { $0.key < $1.key }.map { (quoted($0.key), json($0.value)) }))
        case .null, .bool, .integer, .real: Node(String(decoding: value.json, as: UTF8.self))
        }
    }
}

extension GeminiRule {
    fileprivate var node: Node {
        .fields([
            ("in", state.map(Node.quoted)), ("when", condition == Condition() ? nil : condition.node),
            ("reply", replies.count == 1 ? replies[0].node : nil),
            ("replies", replies.count == 1 ? nil : Node.list(replies.map(\.node))),
            ("times", limit == .max ? nil : Node("\(limit)")),
            ("per", scope == .server ? nil : Node(scope.rawValue)), ("then", nextState.map(Node.quoted)),
        ])
    }
}

extension GeminiRule.Condition {
    fileprivate var node: Node {
        let result: Node? =
            switch self.result {
            case nil: nil
            case .any(let isThere): .flag(isThere)
            case .of(let name): .quoted(name)
            }
        return .fields([
            ("text", text.map(Node.quoted)), ("pattern", pattern.map(Node.quoted)),
            ("model", model.map(Node.quoted)), ("picture", hasPicture.map(Node.flag)),
            ("file", hasFile.map(Node.flag)), ("turn", turn.map { Node("\($0)") }), ("result", result),
        ])
    }
}

extension GeminiReply {
    fileprivate var node: Node {
        let messages = Node.list(chunks.flatMap(\.nodes))
        if ending == .finished("STOP"), !chunks.isEmpty, citations.isEmpty { return messages }
        var pairs: [(String, Node?)] = [("messages", chunks.isEmpty ? nil : messages)]
        // Nothing is said to a prompt that is blocked.
        if case .blocked = ending { pairs = [] }
        switch ending {
        // A file holds the reasons that are known; the service may have new ones.
        case .finished("STOP") where !chunks.isEmpty: break
        case .finished(let reason):
            pairs.append(("finish", .quoted(ReplyReader.finishReasons.contains(reason) ? reason : "OTHER")))
        case .blocked(let reason):
            pairs.append(("blocked", .quoted(ReplyReader.blockReasons.contains(reason) ? reason : "OTHER")))
        case .failed(let failure): pairs.append(("error", failure.node))
        }
        if !citations.isEmpty { pairs.append(("citations", .list(citations.map(\.node)))) }
        return .fields(pairs)
    }
}

extension GeminiReply.Citation {
    fileprivate var node: Node {
        .fields([
            ("start", Node("\(range.lowerBound)")), ("end", Node("\(range.upperBound)")),
            ("uri", .quoted(uri)), ("license", license.map(Node.quoted)),
        ])
    }
}

extension GeminiReply.Chunk {
    /// A message of a file has one text at most, and one call.
    fileprivate var nodes: [Node] {
        var nodes: [Node] = []
        // The wait is before the first.
        var wait = delay
        func add(_ pairs: [(String, Node?)]) {
            let after = wait > .zero ? Node("\(wait / .seconds(1))") : nil
            wait = .zero
            nodes.append(.fields(pairs + [("after", after)]))
        }
        for text in parts {
            if !isThought, wait == .zero {
                nodes.append(.quoted(text))
            } else {
                add([("text", .quoted(text)), ("thought", isThought ? .flag(true) : nil)])
            }
        }
        for call in calls {
            let arguments = call.arguments == [:] ? nil : Node.json(call.arguments)
            add([
                ("call", .quoted(call.name)), ("arguments", arguments), ("id", call.id.map(Node.quoted)),
            ])
        }
        return nodes
    }
}

extension GeminiFailure {
    fileprivate var node: Node {
        .fields([
            ("code", Node("\(code)")), ("status", .quoted(status)), ("message", .quoted(message)),
            ("retryAfter", retryAfter.map { Node("\($0 / .seconds(1))") }),
        ])
    }
}
