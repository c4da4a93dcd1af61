extension Recipe {
    /// The configuration of a run that the recipe decides, as searches, sweeps and the tests made of what they find have it.
    ///
    /// What is left behind is a failure.
    public var configuration: Simulation.Configuration {
        var configuration = Simulation.Configuration()
        configuration.forbidsLeftovers = true
        configuration.unwindsCrashedNodes = true
        apply(to: &configuration)
        return configuration
    }
}

extension Recipe {
    /// The configuration of a test whose runs the recipe decides: what it does not mention stays as the test has it.
    package func applied(to configuration: Simulation.Configuration) -> Simulation.Configuration {
        var applied = configuration
        apply(to: &applied)
        if firings == nil { applied.faults = configuration.faults }
        if omittedWork.isEmpty { applied.omittedWork = configuration.omittedWork }
        if applied.cancellation == nil { applied.cancellation = configuration.cancellation }
        if plan == nil { applied.plan = configuration.plan }
        return applied
    }
}
