/// Names a service, and says how to make it in each world.
///
/// Keys are constants of the composition root, the only place that knows both the real and the simulated
/// implementations:
///
/// ```swift
/// enum Keys {
///     static let secrets = ServiceKey<any SecretStore>("secrets", live: { _ in … }, simulated: { _ in … })
///     static let storage = ServiceKey<any ObjectStore>(
///         "storage",
///         live: { services in SupabaseObjectStore(try services[secrets], …) },
///         simulated: { _ in … }
///     )
/// }
/// ```
public struct ServiceKey<Service: Sendable>: Sendable {
    /// Makes the service; asks `services` for whatever it needs.
    public typealias Recipe = @Sendable (_ services: ServiceResolver) throws -> Service

    /// Name and type: two keys that agree in both mean the same service.
    public let identity: ServiceIdentity

    private let recipes: [ServiceWorld: Recipe]

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - name: A name for people, unique among the keys of this type.
    ///   - live: The default of the real world, if there is one.
    ///   - simulated: The default of the simulated world, if there is one.
    ///   - unmentioned: A stand-in for tests that never mention the service. It may be handed around, and must
    ///     fail when used. Without it, asking for the service fails already.
    public init(
        _ name: String,
        live: Recipe? = nil,
        simulated: Recipe? = nil,
        unmentioned: Recipe? = nil
    ) {
        identity = ServiceIdentity(name: name, type: ObjectIdentifier(Service.self))
        var recipes: [ServiceWorld: Recipe] = [:]
        recipes[.live] = live
        recipes[.simulated] = simulated
        recipes[.unmentioned] = unmentioned
        self.recipes = recipes
    }

    func recipe(in world: ServiceWorld) -> Recipe? { recipes[world] }

    /// Replaces the key's default in a scope.
    public func callAsFunction(_ recipe: @escaping Recipe) -> ServiceOverride {
        ServiceOverride(identity: identity, recipe: recipe)
    }

    /// Replaces the key's default in a scope by an instance that exists already.
    public func callAsFunction(_ instance: Service) -> ServiceOverride {
        ServiceOverride(identity: identity) { _ in instance }
    }
}

/// What makes two keys the same.
public struct ServiceIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The name for people.
    public let name: String
    let type: ObjectIdentifier

    /// The name for people.
    public var description: String { name }
}

/// Which default a scope takes for a service that nobody overrides.
public enum ServiceWorld: Sendable, Hashable {
    /// The real service.
    case live
    /// The simulator.
    case simulated
    /// Neither: what a test does not mention must fail if used.
    case unmentioned
}

/// A replacement of a key's default.
public struct ServiceOverride: Sendable {
    let identity: ServiceIdentity
    /// Returns the key's service type; made by the key itself, which alone knows that type.
    let recipe: @Sendable (ServiceResolver) throws -> any Sendable

    init(identity: ServiceIdentity, recipe: @escaping @Sendable (ServiceResolver) throws -> any Sendable) {
        self.identity = identity
        self.recipe = recipe
    }
}
