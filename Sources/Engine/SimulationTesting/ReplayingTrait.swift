import Simulation
public import Testing

extension Trait where Self == SimulatedTrait {
    /// Runs each test in one simulation, decided by a recipe as `lenssim shrink` prints it.
    ///
    /// The rules are those of the search that has found it: what is left behind is a failure, and a body may say that it was
    /// cancelled if a task was. The seed is the recipe's, whatever the environment says.
    ///
    /// - Parameter recipe: Such as `seed=7 decisions=3:1,9:2 faults=loss+phone+gemini:4`.
    /// - Precondition: The text is a recipe.
    public static func replaying(_ recipe: String) -> Self {
        guard let recipe = Recipe(recipe) else { preconditionFailure("this is not a recipe: \(recipe)") }
        return SimulatedTrait(
            seeds: recipe.seed...recipe.seed,
            stalls: recipe.stalls ? .drawn : .none,
            configuration: recipe.configuration,
            followsRecipe: true
        )
    }
}
