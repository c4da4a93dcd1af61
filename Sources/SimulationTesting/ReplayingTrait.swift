import Simulation
public import Testing

extension Trait where Self == SimulatedTrait {
    /// Runs each test in one simulation, decided by a recipe as `lenssim shrink` prints it.
    ///
    /// - Parameter recipe: Such as `seed=7 choices=3:1,9:2 faults=loss+phone+gemini:4`.
    /// - Precondition: The text is a recipe.
    public static func replaying(_ recipe: String) -> Self {
        guard let recipe = Recipe(recipe) else { preconditionFailure("this is not a recipe: \(recipe)") }
        var configuration = Simulation.Configuration()
        recipe.apply(to: &configuration)
        return SimulatedTrait(seeds: recipe.seed...recipe.seed, configuration: configuration)
    }
}
