import NIOHTTP1
import Transport

/// One request and its answer, as far as they have come.
///
/// Confined to the connection's event loop by its owner, except for the inbox, which is safe anywhere.
struct HTTPExchange {
    /// Tells this exchange from others of the connection.
    let number: Int
    let head: HTTPRequestHead
    let body: Inbox<[UInt8], TransportError?>
    /// The peer still waits for our 100.
    var owesContinue: Bool
    var pace: BodyPace
    /// Bytes of the body that are declared and have not come; 0 where the length is not known.
    var bodyLeft: Int
    /// The body is not read from the socket until the server has taken more of it.
    var waitsForRoom = false
    var requestEnded = false
    var responseStarted = false
    var responseEnded = false
    var keepsAlive = true
    var task: Task<Void, Never>?
}
