import AppHost

/// What Lens keeps in its folder beside secrets and the page's address.
extension AppFolder {
    var database: String { path + "/lens.sqlite" }
    var documents: String { path + "/Documents" }
    /// Where the simulated store keeps its objects, unless another place is chosen.
    var store: String { path + "/Store" }
}
