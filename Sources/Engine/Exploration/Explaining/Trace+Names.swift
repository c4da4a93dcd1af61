package import Simulation

extension Trace {
    /// What a task is called in a sentence: by its name or the line that has made it, where one is known.
    ///
    /// - Parameters:
    ///   - id: Its number.
    ///   - other: A task of which the sentence has spoken already; 0 for none.
    package func name(ofTask id: Int, beside other: Int = 0) -> String {
        // The first task runs the body.
        if id == 1 { return "the body" }
        guard let own = label(ofTask: id) else { return "task \(id)" }
        let alike = tasks.lazy.map(\.id).filter { $0 > 1 && label(ofTask: $0) == own }
        if alike.count == 1 { return own.isName ? own.text : "the task of \(own.text)" }
        let article = alike.contains(other) && other != id ? "another" : "a"
        return "\(article) task \(own.isName ? "" : "of ")\(own.text)"
    }

    /// The name of a task, or the line that has made it.
    private struct Label: Hashable {
        var text: String
        var isName: Bool
    }

    private func label(ofTask id: Int) -> Label? {
        guard tasks.indices.contains(id - 1) else { return nil }
        let task = tasks[id - 1]
        if !task.name.isEmpty { return Label(text: "“\(task.name)”", isName: true) }
        // The place is a function, and a line where that is known.
        guard let line = task.place.ranges(of: " at ").last.map({ task.place[$0.upperBound...] }),
            line.contains(":")
        else { return nil }
        return Label(text: String(line), isName: false)
    }

    /// The type of the actor on which a step runs, and which of several of that type it is; empty for none.
    func actorName(of step: Step) -> String {
        if step.kind == .mainActor { return "MainActor" }
        guard step.actor > 0, actors.indices.contains(step.actor) else { return "" }
        let type = actors[step.actor]
        var alike: [(number: Int, caller: String)] = []
        for index in steps.indices {
            let number = steps[index].actor
            guard number > 0, actors.indices.contains(number), actors[number] == type,
                !alike.contains(where: { $0.number == number })
            else { continue }
            // Who has called the method with which the actor is first seen.
            alike.append((number, lines(of: index).dropFirst().first?.place.name ?? ""))
        }
        guard alike.count > 1, let index = alike.firstIndex(where: { $0.number == step.actor }) else {
            return type
        }
        let caller = alike[index].caller
        let isUnique = !caller.isEmpty && alike.count { $0.caller == caller } == 1
        return
            "\(type), number \(index + 1) of \(alike.count)\(isUnique ? ", first called at \(caller)" : "")"
    }
}
