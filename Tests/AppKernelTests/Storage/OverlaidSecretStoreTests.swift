import AppKernel
import Services
import Synchronization
import Testing

@Suite("Secrets of the environment over kept ones")
struct OverlaidSecretStoreTests {
    private final class Kept: SecretStore {
        let secrets = Mutex<[String: Secret]>(["key": Secret("kept"), "camera": Secret("A")])

        func secret(named name: String) throws(SecretStoreError) -> Secret? { secrets.withLock { $0[name] } }

        func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
            secrets.withLock { $0[name] = secret }
        }
    }

    @Test func `a given secret hides the kept one and cannot be changed, and all others are kept as before`()
        throws
    {
        let kept = Kept()
        let store = OverlaidSecretStore(
            EnvironmentSecretStore(variables: ["key": "KEY"], environment: ["KEY": "given"]),
            over: kept
        )
        #expect(try store.secret(named: "key")?.reveal() == "given")
        #expect(try store.secret(named: "camera")?.reveal() == "A")
        #expect(try store.secret(named: "other") == nil)
        let error = #expect(throws: SecretStoreError.self) { try store.set(Secret("x"), named: "key") }
        guard case .readOnly? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(kept.secrets.withLock { $0["key"] }?.reveal() == "kept")
        try store.set(Secret("B"), named: "camera")
        #expect(kept.secrets.withLock { $0["camera"] }?.reveal() == "B")
        try store.set(nil, named: "camera")
        #expect(try store.secret(named: "camera") == nil)
    }
}
