import Simulation

extension Simulation.Configuration {
    /// Ends a test that waits for what never comes after ten minutes of virtual time, not after a day: a stream makes five
    /// pictures a second meanwhile.
    static var shortWaits: Self {
        var configuration = Self()
        configuration.maximumWait = .seconds(600)
        configuration.maximumTime = .seconds(3_600)
        // Several times what a test here takes: also a loop that never sleeps ends soon.
        configuration.maximumSteps = 1_000_000
        return configuration
    }

    /// The same for tests that compare virtual times with `==`.
    static var shortWaitsInExactTime: Self {
        var configuration = shortWaits
        configuration.timing = .exact
        return configuration
    }
}
