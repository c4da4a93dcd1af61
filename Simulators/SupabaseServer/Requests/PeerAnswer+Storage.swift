import HTTPTypes
import PeerKit
import Transport

extension PeerAnswer {
    static func message(_ text: String) -> PeerAnswer { .json(["message": .string(text)]) }

    static func failure(_ failure: StorageFailure) -> PeerAnswer {
        .json(failure.envelope, status: failure.httpStatus)
    }

    /// A refusal as uploads in parts have it: plain text, and the true status.
    static func plain(_ failure: StorageFailure) -> PeerAnswer {
        PeerAnswer(
            status: failure.status,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: .text(failure.message)
        )
    }
}
