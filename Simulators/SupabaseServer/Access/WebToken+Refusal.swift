import PeerKit

extension WebToken.Refusal {
    /// What the service's library for tokens says.
    ///
    /// Source: supabase/storage `src/internal/auth/jwt.ts`, panva/jose.
    var words: String {
        switch self {
        case .malformed: "Invalid Compact JWS"
        case .algorithm: "\"alg\" (Algorithm) Header Parameter value not allowed"
        case .signature: "signature verification failed"
        case .expired: "\"exp\" claim timestamp check failed"
        case .early: "\"nbf\" claim timestamp check failed"
        }
    }
}
