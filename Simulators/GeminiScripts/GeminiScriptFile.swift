public import GeminiServer
import Yams

/// Files with what the simulated model says, in YAML.
///
///     version: 1
///     delay: 0.1                          # seconds before each message, where no other time is given
///     rules:                              # the first that holds and is not used up
///       - when: {text: weather}
///         reply: [It rains, " again."]    # a message each
///       - when: {picture: true, turn: 0}
///         times: 1
///         replies: [I see., And again.]   # each time the next
///       - when: {text: again}
///         per: conversation               # “times” and “replies” count in each conversation for itself
///         replies: [Once., Twice.]
///       - {in: start, when: {text: order}, then: ordered, reply: Done.}     # states, of the server or of each conversation
///       - {in: ordered, reply: You have ordered.}
///       - reply: {error: {code: 503}}     # over REST a status; a Live session is closed with 1011
///
/// Instead of rules there may be `replies`: what every conversation hears, turn by turn. `Fixtures/Gemini` has examples of
/// everything that a file may hold.
public enum GeminiScriptFile {
    /// Bytes of the longest file.
    public static let lengthMaximum: Int = 1_048_576

    private static let version = 1

    /// Reads a file's text.
    ///
    /// - Throws: ``GeminiScriptError`` with the line where the text knows it.
    public static func brain(of text: String) throws(GeminiScriptError) -> any GeminiBrain {
        guard text.utf8.count <= lengthMaximum else {
            throw GeminiScriptError(line: nil, detail: "it is longer than \(lengthMaximum) bytes")
        }
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch let error as YamlError {
            throw GeminiScriptError(line: nil, detail: "\(error)")
        } catch {
            throw GeminiScriptError(line: nil, detail: "it is no YAML")
        }
        guard let root else { throw GeminiScriptError(line: nil, detail: "it is empty") }
        let fields = try ScriptFields(root, known: ["version", "delay", "replies", "rules"])
        guard try fields.whole("version", in: 0...Int.max) == version else {
            throw fields.wrong("version", "only version \(version) is known")
        }
        let replies = ReplyReader(delay: try fields.seconds("delay") ?? .zero)
        switch (fields["replies"], fields["rules"]) {
        case (let list?, nil): return ScriptedBrain(try replies.list(list))
        case (nil, let list?):
            var rules: [GeminiRule] = []
            let nodes = try ScriptFields.elements(of: list)
            for node in nodes { rules.append(try rule(node, replies)) }
            try checkStates(rules, nodes)
            return RuleBrain(rules)
        case (nil, nil): throw fields.wrong(nil, "it lacks “replies”, or “rules”")
        default: throw fields.wrong("rules", "there may be “replies” or “rules”, not both")
        }
    }

    /// A rule in a state that nothing leads to would never speak.
    private static func checkStates(_ rules: [GeminiRule], _ nodes: [Node]) throws(GeminiScriptError) {
        for (rule, node) in zip(rules, nodes) {
            guard let state = rule.state, state != GeminiRule.firstState else { continue }
            guard !rules.contains(where: { $0.nextState == state && $0.scope == rule.scope }) else {
                continue
            }
            throw GeminiScriptError(
                line: node.line,
                detail:
                    "no rule “per: \(rule.scope.rawValue)” leads to the state “\(state)”; the first one is "
                    + "“\(GeminiRule.firstState)”"
            )
        }
    }

    private static func rule(_ node: Node, _ reader: ReplyReader) throws(GeminiScriptError) -> GeminiRule {
        let fields = try ScriptFields(
            node,
            known: ["in", "when", "reply", "replies", "times", "per", "then"]
        )
        let replies: [GeminiReply]
        switch (fields["reply"], fields["replies"]) {
        case (let one?, nil): replies = [try reader.reply(one)]
        case (nil, let list?): replies = try reader.list(list)
        case (nil, nil): throw fields.wrong(nil, "the rule lacks “reply”, or “replies”")
        default: throw fields.wrong("replies", "there may be “reply” or “replies”, not both")
        }
        let scope = try fields.text("per")
        guard let scope = GeminiRule.Scope(rawValue: scope ?? "server") else {
            let names = GeminiRule.Scope.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.wrong("per", "“per” is one of \(names)")
        }
        return GeminiRule(
            try fields["when"].map { node throws(GeminiScriptError) in try condition(node) }
                ?? GeminiRule.Condition(),
            replies: replies,
            atMost: try fields.whole("times", in: 1...1_000_000) ?? .max,
            per: scope,
            in: try fields.text("in"),
            then: try fields.text("then")
        )
    }

    private static func condition(_ node: Node) throws(GeminiScriptError) -> GeminiRule.Condition {
        let fields = try ScriptFields(
            node,
            known: ["text", "pattern", "model", "picture", "file", "turn", "result"]
        )
        var condition = GeminiRule.Condition()
        condition.text = try fields.text("text")
        condition.pattern = try fields.text("pattern")
        if let pattern = condition.pattern, (try? Regex(pattern)) == nil {
            throw fields.wrong("pattern", "“\(pattern)” is no regular expression")
        }
        condition.model = try fields.text("model")
        condition.hasPicture = try fields.flag("picture")
        condition.hasFile = try fields.flag("file")
        condition.turn = try fields.whole("turn", in: 0...1_000_000)
        if fields["result"] != nil {
            if let isThere = try? fields.flag("result") {
                condition.result = .any(isThere)
            } else {
                condition.result = try fields.text("result").map { .of($0) }
            }
        }
        return condition
    }
}

/// Why a file is no script.
public struct GeminiScriptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, from 1, when that is known.
    public let line: Int?
    /// What is wrong.
    public let detail: String

    /// What is wrong, and where.
    public var description: String { line.map { "line \($0): \(detail)" } ?? detail }
}
