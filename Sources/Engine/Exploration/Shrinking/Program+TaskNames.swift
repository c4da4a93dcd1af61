import Simulation

extension Program {
    /// The same recipe with names of tasks in place of their numbers, if it then fails in the same way; otherwise the recipe.
    func withTaskNames(_ recipe: Recipe, fingerprint: String, isolated: Bool) throws(ForkError) -> Recipe {
        let names = try observe(recipe, namesTasks: true, isolated: isolated).taskNames
        let named = recipe.naming { task in
            guard case .number(let number) = task, names.indices.contains(number - 1) else { return task }
            return names[number - 1]
        }
        guard named != recipe else { return recipe }
        let again = try observe(named, isolated: isolated)
        return again.failure?.fingerprint == fingerprint && again.mismatches.isEmpty ? named : recipe
    }
}

extension Recipe {
    /// The recipe with other names for its tasks.
    fileprivate func naming(_ name: (TaskID) -> TaskID) -> Recipe {
        var recipe = self
        recipe.preemptions = preemptions.map {
            $0.map { preemption in
                var preemption = preemption
                preemption.after = name(preemption.after)
                if case .task(let task) = preemption.target { preemption.target = .task(name(task)) }
                return preemption
            }
        }
        if case .after(let task, let steps) = cancellation {
            recipe.cancellation = .after(task: name(task), steps: steps)
        }
        return recipe
    }
}
