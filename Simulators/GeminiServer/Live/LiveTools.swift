import PeerKit

/// The functions that a session declares.
struct LiveTools: Sendable {
    let functions: [GeminiFunction]
    private let names: Set<String>
    private let nonBlocking: Set<String>

    /// Reads tools whose names are in snake_case.
    ///
    /// - Throws: 1007 for a function without a proper name, or with that of another one.
    init(_ tools: [JSONValue]) throws(LiveRefusal) {
        let declarations = tools.flatMap { $0["function_declarations"]?.array ?? [] }
        var names: Set<String> = []
        var functions: [GeminiFunction] = []
        for declaration in declarations {
            let name = declaration["name"]?.string ?? ""
            guard GeminiFunction.isName(name), names.insert(name).inserted else { throw .invalidArgument }
            functions.append(
                GeminiFunction(
                    name: name,
                    description: declaration["description"]?.string ?? "",
                    parameters: declaration["parameters"] ?? declaration["parameters_json_schema"]
                )
            )
        }
        self.functions = functions
        self.names = names
        nonBlocking = Set(
            declarations.filter { $0["behavior"]?.string == "NON_BLOCKING" }.compactMap { $0["name"]?.string }
        )
    }

    func declares(_ name: String) -> Bool { names.contains(name) }

    /// Whether the model waits for the answer before it goes on.
    func isBlocking(_ name: String) -> Bool { !nonBlocking.contains(name) }
}
