public import Foundation

/// An address that opens a place of the app: `scisymbiolens://camera`, `gallery`, `chat`, `settings`,
/// `media/<uuid>`, `discover`, `analysis?url=<address>`.
public enum DeepLink: Hashable, Sendable {
    case tab(NavigationScreen.Tab)
    case media(UUID)
    case discover
    case analysis(URL)

    /// The scheme that all of them have.
    public static let scheme: String = "scisymbiolens"

    /// Reads an address.
    ///
    /// - Throws: ``DeepLinkError``, which says what is wrong with it.
    public init(_ text: String) throws(DeepLinkError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme else { throw .noAddress }
        guard scheme.lowercased() == Self.scheme else { throw .foreignScheme }
        let path = parts.path.split(separator: "/", omittingEmptySubsequences: true)
        switch ((parts.host ?? "").lowercased(), path.count) {
        case ("camera", 0): self = .tab(.camera)
        case ("gallery", 0): self = .tab(.gallery)
        case ("chat", 0): self = .tab(.chat)
        case ("settings", 0): self = .tab(.settings)
        case ("discover", 0): self = .discover
        case ("media", 1):
            guard let id = UUID(uuidString: String(path[0])) else { throw .badIdentifier }
            self = .media(id)
        case ("analysis", 0):
            let value = parts.queryItems?.first { $0.name == "url" }?.value
            guard let url = value.flatMap({ URL(string: $0) }),
                ["http", "https"].contains(url.scheme?.lowercased()),
                url.host()?.isEmpty == false
            else { throw .badAddress }
            self = .analysis(url)
        default: throw .unknownPlace
        }
    }
}

/// Why an address opens nothing.
public enum DeepLinkError: LocalizedError, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// It is no address at all.
    case noAddress
    /// It is of another app.
    case foreignScheme
    /// The app has no such place.
    case unknownPlace
    /// What should be an item's identifier is none.
    case badIdentifier
    /// What should be the address of a video is none that is on the web.
    case badAddress
    /// There is no such item in the gallery.
    case missingItem

    /// What is wrong, for the user; as what it is described by.
    public var errorDescription: String? { description }

    /// What is wrong, for the user.
    public var description: String {
        switch self {
        case .noAddress: "This is not a link."
        case .foreignScheme: "This link belongs to another app."
        case .unknownPlace: "This app has no such place."
        case .badIdentifier: "The link names no photo or video."
        case .badAddress: "The link names no video on the web."
        case .missingItem: "The photo or video of this link is not there any more."
        }
    }
}
