import Synchronization

/// A set of services that belong together, made lazily, each once.
///
/// Only composition roots hold a scope; everything else takes what it needs by initialiser.
///
/// ```swift
/// let root = ServiceScope("app", .live)
/// let camera = try await root[Keys.camera]
/// let test = ServiceScope("test", .unmentioned, Keys.storage(InMemoryObjectStore()))
/// ```
///
/// Scopes nest. An instance belongs to the outermost scope in which it would be made the same way: a child shares
/// what its overrides do not touch, and has instances of its own of every service that needs, even through
/// others, something the child overrides.
///
/// Asking is safe from anywhere; recipes of one family of scopes run one at a time.
public final class ServiceScope: Sendable {
    /// The name for people.
    public let name: String
    /// Which defaults apply.
    public let world: ServiceWorld

    private let parent: ServiceScope?
    /// Distance from the root scope.
    private let level: Int
    private let overrides: [ServiceIdentity: ServiceOverride]
    private let family: ServiceFamily
    private let shelf = Mutex(Shelf())

    /// Makes a root scope.
    ///
    /// - Parameters:
    ///   - name: A name for people.
    ///   - world: Which defaults apply to services that are not overridden.
    ///   - overrides: Replacements; the last one of a key counts.
    public init(_ name: String, _ world: ServiceWorld, _ overrides: ServiceOverride...) {
        self.name = name
        self.world = world
        parent = nil
        level = 0
        family = ServiceFamily()
        self.overrides = Self.table(overrides)
    }

    private init(_ name: String, inside parent: ServiceScope, _ overrides: [ServiceOverride]) {
        self.name = name
        self.parent = parent
        world = parent.world
        level = parent.level + 1
        family = parent.family
        self.overrides = Self.table(overrides)
    }

    /// Makes a scope inside this one, with replacements of its own.
    public func child(_ name: String, _ overrides: ServiceOverride...) -> ServiceScope {
        ServiceScope(name, inside: self, overrides)
    }

    /// The service of that key, made now if this is the first time that anyone asks.
    ///
    /// - Throws: ``ServiceError`` with the chain of what needs what.
    public subscript<Service>(key: ServiceKey<Service>) -> Service {
        get async throws(ServiceError) { try await family.make(key, in: self) }
    }

    /// Makes the services of those keys, then starts whatever has been made in this scope and around it, and is
    /// ``Startable`` and not yet started, each after all that it needs.
    ///
    /// When one fails to start, those that this call had started are stopped again, last first.
    ///
    /// - Throws: ``ServiceError``: `startFailed`, `busy`, or why a service could not be made.
    public func start<each Service: Sendable>(
        _ keys: repeat ServiceKey<each Service>
    ) async throws(ServiceError) {
        repeat try await ready(each keys)
        try await family.start(in: self)
    }

    /// Stops what runs in this scope and in scopes inside it, in the reverse of the order in which it was started.
    ///
    /// - Throws: `busy` while another start or stop is under way.
    public func stop() async throws(ServiceError) {
        try await family.stop(in: self)
    }

    // MARK: Making

    /// An instance, and what it was made from.
    struct Instance: Sendable {
        let service: any Sendable
        let identity: ServiceIdentity
        /// Itself and all that it needs, also through others.
        let used: Set<ServiceIdentity>
        /// How it was first asked for.
        let chain: [ServiceIdentity]
    }

    /// The instances that live in one scope.
    private struct Shelf {
        var instances: [ServiceIdentity: Instance] = [:]
        /// Each after all that it needs.
        var order: [ServiceIdentity] = []
    }

    /// Finds or makes a service.
    ///
    /// Runs on the family's actor.
    func resolve<Service>(
        _ key: ServiceKey<Service>,
        after chain: [ServiceIdentity]
    ) throws(ServiceError) -> (service: Service, instance: Instance, level: Int) {
        let identity = key.identity
        let chain = chain + [identity]
        if chain.dropLast().contains(identity) { throw ServiceError(.cyclic, chain: chain.map(\.name)) }
        let (instance, level) =
            if let found = existing(identity) { found } else { try make(key, chain) }
        guard let service = instance.service as? Service else {
            preconditionFailure("an override of \(identity) returned \(type(of: instance.service))")
        }
        return (service, instance, level)
    }

    private func existing(_ identity: ServiceIdentity) -> (Instance, level: Int)? {
        var replaced: Set<ServiceIdentity> = []
        for scope in outwards {
            let instance = scope.shelf.withLock { $0.instances[identity] }
            if let instance, instance.used.isDisjoint(with: replaced) { return (instance, scope.level) }
            replaced.formUnion(scope.overrides.keys)
        }
        return nil
    }

    private func make<Service>(
        _ key: ServiceKey<Service>,
        _ chain: [ServiceIdentity]
    ) throws(ServiceError) -> (Instance, level: Int) {
        let names = chain.map(\.name)
        let owner = outwards.first { $0.overrides[key.identity] != nil }
        let resolver = ServiceResolver(scope: self, chain: chain, level: owner?.level ?? 0)
        defer { resolver.close() }
        let service: any Sendable
        do {
            if let override = owner?.overrides[key.identity] {
                service = try override.recipe(resolver)
            } else if let recipe = key.recipe(in: world) {
                service = try recipe(resolver)
            } else {
                throw ServiceError(world == .unmentioned ? .unmentioned : .missing, chain: names)
            }
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(.recipeFailed, chain: names, detail: String(describing: error))
        }
        let instance = Instance(
            service: service,
            identity: key.identity,
            used: resolver.used,
            chain: chain
        )
        let home = outwards.first { $0.level == resolver.level } ?? self
        home.shelf.withLock { shelf in
            shelf.instances[key.identity] = instance
            shelf.order.append(key.identity)
        }
        return (instance, home.level)
    }

    private func ready(_ key: ServiceKey<some Sendable>) async throws(ServiceError) {
        _ = try await self[key]
    }

    private static func table(_ overrides: [ServiceOverride]) -> [ServiceIdentity: ServiceOverride] {
        Dictionary(overrides.map { ($0.identity, $0) }) { _, last in last }
    }

    // MARK: Family

    /// This scope, its parent, and so on to the root.
    private var outwards: [ServiceScope] { [self] + (parent?.outwards ?? []) }

    /// This scope and those around it, the outermost first.
    var inwards: [ServiceScope] { outwards.reversed() }

    /// Whether this is the other scope or lies inside it.
    func isWithin(_ other: ServiceScope) -> Bool { outwards.contains { $0 === other } }

    /// The instance made after `count` others in this scope.
    func instance(after count: Int) -> Instance? {
        shelf.withLock { shelf in
            count < shelf.order.count ? shelf.instances[shelf.order[count]] : nil
        }
    }
}
