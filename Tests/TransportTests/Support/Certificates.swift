import LiveTransport

/// The certificates under `Fixtures/Certificates`.
enum Certificates {
    private static let folder: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        // From Tests/TransportTests/Support/ up to the package.
        parts.removeLast(4)
        return parts.joined(separator: "/") + "/Fixtures/Certificates"
    }()

    static func identity(_ name: String) -> ServerIdentity {
        ServerIdentity(
            certificateChain: .file("\(folder)/\(name).pem"),
            privateKey: .file("\(folder)/\(name)-key.pem")
        )
    }

    /// Trusts the root that signed all leaves but `untrusted`.
    static let trusting = LiveTransport.Configuration(extraTrustedRoots: [.file("\(folder)/root.pem")])
}
