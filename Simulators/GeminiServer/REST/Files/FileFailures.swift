/// What is refused about files; the texts are the simulator's own where the service's are not known.
extension GeminiFailure {
    static let noUpload = GeminiFailure(404, "NOT_FOUND", "Requested entity was not found.")
    static let nameTaken = GeminiFailure(409, "ALREADY_EXISTS", "Requested entity already exists")

    static func exhausted(_ message: String) -> GeminiFailure {
        GeminiFailure(429, "RESOURCE_EXHAUSTED", message)
    }

    static func fileTooLarge(_ limit: Int) -> GeminiFailure {
        .invalid("File size exceeds the limit: \(limit) bytes.")
    }
}
