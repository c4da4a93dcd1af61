import LensScenarios
import Services

extension ScenarioSettings {
    /// The options of `lenssim run` that make these settings of others, each with a blank before it.
    func arguments(besides usual: ScenarioSettings) -> String {
        var arguments = ""
        if seconds != usual.seconds { arguments += " --seconds \(seconds)" }
        if size != usual.size { arguments += " --size \(size.width)x\(size.height)" }
        if usesPreparedFrames, !usual.usesPreparedFrames { arguments += " --prepared" }
        return arguments
    }
}
