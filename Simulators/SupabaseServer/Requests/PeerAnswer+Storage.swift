import PeerKit

extension PeerAnswer {
    static func message(_ text: String) -> PeerAnswer { .json(["message": .string(text)]) }

    static func failure(_ failure: StorageFailure) -> PeerAnswer {
        .json(failure.envelope, status: failure.httpStatus)
    }
}
