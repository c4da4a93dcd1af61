/// The scopes of one root: makes their services one at a time, and knows what runs.
actor ServiceFamily {
    private struct Running {
        let scope: ServiceScope
        let identity: ServiceIdentity
        let service: any Startable
    }

    /// In the order of starting.
    private var running: [Running] = []
    private var isChanging = false

    func make<Service>(
        _ key: ServiceKey<Service>,
        in scope: ServiceScope
    ) throws(ServiceError) -> Service {
        try scope.resolve(key, after: []).service
    }

    func start(in scope: ServiceScope) async throws(ServiceError) {
        try beginChange(of: scope)
        defer { isChanging = false }
        let before = running.count
        for owner in scope.inwards {
            // The shelf may grow while a service starts.
            var count = 0
            while let instance = owner.instance(after: count) {
                count += 1
                guard let service = instance.service as? any Startable, !runs(instance.identity, in: owner)
                else {
                    continue
                }
                do {
                    try await service.start()
                } catch {
                    await stopLast(running.count - before) { _ in true }
                    let chain = instance.chain.map(\.name)
                    throw ServiceError(.startFailed, chain: chain, detail: String(describing: error))
                }
                running.append(Running(scope: owner, identity: instance.identity, service: service))
            }
        }
    }

    func stop(in scope: ServiceScope) async throws(ServiceError) {
        try beginChange(of: scope)
        defer { isChanging = false }
        await stopLast(running.count) { $0.scope.isWithin(scope) }
    }

    private func runs(_ identity: ServiceIdentity, in scope: ServiceScope) -> Bool {
        running.contains { $0.identity == identity && $0.scope === scope }
    }

    /// Stops, of the last `count` that were started, those that are meant.
    private func stopLast(_ count: Int, where isMeant: (Running) -> Bool) async {
        for index in running.indices.suffix(count).reversed() where isMeant(running[index]) {
            await running.remove(at: index).service.stop()
        }
    }

    private func beginChange(of scope: ServiceScope) throws(ServiceError) {
        if isChanging { throw ServiceError(.busy, chain: [scope.name]) }
        isChanging = true
    }
}
