public import Exploration

/// A small program with a bug that happens in real applications, and the fixed version.
public struct ZooProgram: Sendable {
    /// What kind of fault reveals it.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// An order of steps.
        case concurrency
        /// A cancellation at the wrong moment.
        case cancellation
        /// A network that misbehaves.
        case network
        /// A loss of power, or a disk that misbehaves.
        case disk
        /// A clock that is wrong.
        case time
    }

    /// The command-line name.
    public let name: String
    /// What kind of fault reveals it.
    public let kind: Kind
    /// The bug in one sentence.
    public let summary: String
    private let body: @Sendable (_ isFixed: Bool) async throws -> Void

    /// Makes a program whose two versions differ in what `isFixed` decides.
    init(
        _ name: String,
        _ kind: Kind,
        _ summary: String,
        _ body: @escaping @Sendable (_ isFixed: Bool) async throws -> Void
    ) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.body = body
    }

    /// The program with its bug.
    public var buggy: Program {
        program(name, summary, isFixed: false)
    }

    /// The fixed version.
    public var fixed: Program {
        program("\(name)-fixed", "\(name) without the bug", isFixed: true)
    }

    private func program(_ name: String, _ summary: String, isFixed: Bool) -> Program {
        Program(name: name, summary: summary, code: Self.code(name), command: "lenssim run \(name)") {
            [body] in try await body(isFixed)
        }
    }

    private static func code(_ name: String) -> Program.Code {
        Program.Code(module: "BugZoo", expression: "Zoo.program(named: \"\(name)\")")
    }
}

/// The bug has shown itself.
struct ZooFailure: NamedFailure, CustomStringConvertible {
    /// What was seen, without figures.
    var failureName: String
    var description: String { failureName }

    init(_ seen: String) { failureName = seen }
}

/// Ends the program unless the condition holds.
func expect(_ condition: Bool, _ otherwise: String) throws {
    if !condition { throw ZooFailure(otherwise) }
}
