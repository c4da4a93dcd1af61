import ArgumentParser
import Simulation

/// A length of time, as `90s`, `1.5s`, `10m` or `2h`; a number alone is of seconds.
package struct DurationArgument: ExpressibleByArgument {
    /// The length that was typed.
    package let duration: Duration

    package init?(argument: String) {
        guard let duration = Duration(text: argument) else { return nil }
        self.duration = duration
    }
}
