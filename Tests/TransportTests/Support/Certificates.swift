import LiveTransport

/// The certificates under `Fixtures/Certificates`.
enum Certificates {
    private static let folder: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        // From Tests/TransportTests/Support/ up to the package.
        parts.removeLast(4)
        return parts.joined(separator: "/") + "/Fixtures/Certificates"
    }()

    /// The path of one of the files.
    static func path(_ file: String) -> String { "\(folder)/\(file)" }

    static func identity(_ name: String) -> ServerIdentity {
        ServerIdentity(
            certificateChain: .file(path("\(name).pem")),
            privateKey: .file(path("\(name)-key.pem"))
        )
    }

    /// Trusts the root that signed all leaves but `untrusted`.
    static let trusting = LiveTransport.Configuration(extraTrustedRoots: [.file(path("root.pem"))])
}
