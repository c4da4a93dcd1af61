import PPPP

/// What is asked of a camera, in whatever it speaks.
enum CameraCommand: Sendable, Hashable {
    case logIn
    case readStatus
    case startVideo(VeepaOptions.Quality)
    case stopVideo
    case takeSnapshot
    case scanWiFi
    case joinWiFi(VeepaWiFi, password: String)

    /// Whether frames are an answer to it.
    var isStart: Bool { if case .startVideo = self { true } else { false } }

    /// What is tried, as a verb phrase for errors.
    var operation: String {
        switch self {
        case .logIn: "log in to the camera"
        case .readStatus: "read the camera's status"
        case .startVideo: "start the camera's video"
        case .stopVideo: "stop the camera's video"
        case .takeSnapshot: "take a picture"
        case .scanWiFi: "look for Wi-Fi networks near the camera"
        case .joinWiFi: "tell the camera its Wi-Fi network"
        }
    }
}

/// What a camera answers.
enum CameraReply: Sendable, Hashable {
    case done
    case status(VeepaStatus)
    case networks([VeepaWiFi])
    case picture([UInt8])
    /// User or password are wrong.
    case rejected(code: Int)
    /// It says that it is another camera.
    case wrongCamera
    case full
    case refused(code: Int)
    case unsupported
}

/// What cameras of one family speak on channel 0.
protocol CameraDialect: Sendable {
    var framing: CommandFraming { get }

    /// A command as it is written, in one message or several, of which the last is answered.
    ///
    /// - Throws: `invalidValue` for values that cannot be sent, `refused` for what the family does not have.
    mutating func message(
        for command: CameraCommand,
        _ credentials: VeepaCredentials
    ) throws(VeepaConnectionError) -> [CommandMessage]

    /// Reads an answer.
    ///
    /// - Returns: `nil` when it is not the answer to this command.
    mutating func reply(
        to command: CameraCommand,
        in message: CommandMessage,
        _ credentials: VeepaCredentials
    ) -> CameraReply?
}

extension CameraDialect {
    /// Why a command cannot be sent to a camera.
    func error(
        _ code: VeepaConnectionError.Code,
        _ command: CameraCommand,
        _ credentials: VeepaCredentials,
        _ detail: String
    ) -> VeepaConnectionError {
        VeepaConnectionError(code, operation: command.operation, camera: "\(credentials.id)", detail: detail)
    }
}

extension CommandFraming {
    func makeDialect() -> any CameraDialect {
        switch self {
        case .cgi: CGIDialect()
        case .json: JSONDialect()
        case .binary: BinaryDialect()
        }
    }
}
