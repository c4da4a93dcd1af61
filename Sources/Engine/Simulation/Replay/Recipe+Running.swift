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
