/// What a recipe asks for the services that it needs.
///
/// Valid while the recipe runs.
public final class ServiceResolver {
    private let scope: ServiceScope
    private let chain: [ServiceIdentity]
    private var isOpen = true
    /// Everything that the recipe used, itself included, also through others.
    private(set) var used: Set<ServiceIdentity>
    /// The level of the outermost scope that may own the instance: the innermost that gave it an override.
    private(set) var level: Int

    init(scope: ServiceScope, chain: [ServiceIdentity], level: Int) {
        self.scope = scope
        self.chain = chain
        self.level = level
        used = chain.last.map { [$0] } ?? []
    }

    /// The service of that key, made now if need be.
    ///
    /// - Throws: ``ServiceError``, naming the whole chain from the service first asked for.
    public subscript<Service>(key: ServiceKey<Service>) -> Service {
        get throws(ServiceError) {
            precondition(isOpen, "a recipe kept its resolver and used it after it had returned")
            let found = try scope.resolve(key, after: chain)
            used.formUnion(found.instance.used)
            level = max(level, found.level)
            return found.service
        }
    }

    func close() { isOpen = false }
}
