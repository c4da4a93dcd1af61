import PPPP
import PeerKit

/// What a camera knows of one client.
struct ClientState: Sendable {
    var isLoggedIn = false
    /// Whether it gets frames.
    var isStreaming = false
    /// What binary cameras give at a login.
    var ticket: UInt32 = 0
    /// Whether the session ends when all answers are out, as when the camera changes its network.
    var endsAfterReply = false
}

/// What a camera does with what it is asked, in one dialect.
protocol CameraBrain: Sendable {
    /// Answers a request.
    ///
    /// - Parameters:
    ///   - message: The request.
    ///   - client: Who asks; changed by what is asked.
    ///   - camera: What the camera is and sees now.
    /// - Returns: Answers in their order; none where cameras are silent.
    func answer(
        _ message: CommandMessage,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> [CommandMessage]

    /// A status that nobody has asked for.
    func unsolicited(_ camera: CameraView) -> CommandMessage
}

/// What a brain sees of its camera.
struct CameraView {
    let settings: VeepaCameraSettings
    let faults: PeerFaults
    /// How many clients are logged in, besides the one that asks.
    var otherUsers: Int
    /// The newest picture.
    var snapshot: () -> [UInt8]
    var record: VeepaCameraRecord

    /// Whether user and password are right and taken, as far as faults let it be.
    mutating func accepts(_ user: String?, _ password: String?) -> Bool {
        let isRight =
            user == settings.user && password == settings.password
            && faults.strike(VeepaFaultPoints.loginRejected) == nil
        if !isRight { record.rejections += 1 }
        return isRight
    }

    /// How many users the camera says to have.
    var users: Int {
        faults.strike(VeepaFaultPoints.loginFull) == nil ? otherUsers + 1 : settings.mostUsers + 1
    }
}

extension CommandFraming {
    func makeBrain() -> any CameraBrain {
        switch self {
        case .cgi: CGIBrain()
        case .json: JSONBrain()
        case .binary: BinaryBrain()
        }
    }
}
