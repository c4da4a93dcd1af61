public import Transport

/// A server of a page that a browser comes to by an address with a ``PageToken``.
public protocol AddressedServer: Server {
    /// What is to be opened in a browser, with the token; for the user alone.
    func address(at authority: String) -> String
}
