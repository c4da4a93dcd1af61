import AWSSignature

/// What the signature of a request has shown.
struct Access: Sendable {
    /// Whether nobody has signed it.
    let isAnonymous: Bool
    /// What stands for the body.
    let payload: SignedPayload
    /// From which the signatures of chunks go on.
    let chunks: ChunkSignatures?

    /// Of a request that nobody has signed.
    static let anonymous = Access(isAnonymous: true, payload: .unsigned, chunks: nil)

    /// Whether the hash of the body was signed.
    var isHashed: Bool { if case .hash = payload { true } else { false } }
}
