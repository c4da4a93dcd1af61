import Nova
import NovaServer
import Services

/// A device on which somebody is signed in at the simulated issuer, and always agrees; the page asks before.
struct SimulatedIdentity: IdentityTokenProvider {
    /// What the issuer calls the person.
    static let subject = "001234.5ca1ab1e.0001"

    let issuer: AppleIssuer

    func authorize(nonce: String) async -> AppleAuthorization? {
        AppleAuthorization(
            identityToken: Secret(issuer.identityToken(of: Self.subject, nonce: nonce)),
            user: Self.subject,
            email: "ada.private@icloud.example",
            fullName: "Ada Private"
        )
    }
}
