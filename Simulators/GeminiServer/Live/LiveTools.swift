import PeerKit

/// The functions that a session declares.
struct LiveTools: Sendable {
    let functions: [GeminiFunction]
    private let nonBlocking: Set<String>

    init(_ tools: [JSONValue]) {
        let declarations = tools.flatMap { $0["function_declarations"]?.array ?? [] }
        functions = declarations.map {
            GeminiFunction(
                name: $0["name"]?.string ?? "",
                description: $0["description"]?.string ?? "",
                parameters: $0["parameters"] ?? $0["parameters_json_schema"]
            )
        }
        nonBlocking = Set(
            declarations.filter { $0["behavior"]?.string == "NON_BLOCKING" }.compactMap { $0["name"]?.string }
        )
    }

    func declares(_ name: String) -> Bool { functions.contains { $0.name == name } }

    /// Whether the model waits for the answer before it goes on.
    func isBlocking(_ name: String) -> Bool { !nonBlocking.contains(name) }
}
