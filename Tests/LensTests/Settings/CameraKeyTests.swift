import Lens
import Services
import SimulatedDevice
import Testing

@Suite("Credentials of the wireless camera")
struct CameraKeyTests {
    @Test func `credentials are kept in the secret store, replaced and deleted`() throws {
        let secrets = InMemorySecretStore()
        let key = CameraKey(secrets)
        #expect(try key.read() == nil)
        let first = CameraCredentials(device: "VSTC-1", password: Secret("pass \"1\""))
        let second = CameraCredentials(
            device: "VSTC-2",
            user: "owner",
            password: Secret(""),
            service: "EBGD:camera"
        )
        for credentials in [first, second] {
            try key.write(credentials)
            #expect(try CameraKey(secrets).read() == credentials)
        }
        try key.write(nil)
        #expect(try key.read() == nil)
        #expect(try secrets.secret(named: CameraKey.name) == nil)
    }

    @Test func `something else under their name is an error that says what to do`() throws {
        let key = CameraKey(InMemorySecretStore([CameraKey.name: Secret("nonsense")]))
        let error = #expect(throws: SecretStoreError.self) { try key.read() }
        #expect(error?.description.contains("Set the camera up again") == true)
    }

    @Test func `neither identity nor password can be seen in a description`() {
        let credentials = CameraCredentials(device: "VSTC-1", password: Secret("pass"))
        var dumped = "\(credentials) \(String(reflecting: credentials))"
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("VSTC") && !dumped.contains("pass"))
    }
}
