import Files
import ObjectTransfer
import Services

/// One call of the store.
struct FileCall: Sendable {
    let key: ObjectKey
    private let operation: ObjectOperation

    init(_ operation: String, _ key: ObjectKey) {
        (self.key, self.operation) = (key, ObjectOperation(operation, key))
    }

    func error(_ code: ObjectStoreError.Code, _ detail: String) -> ObjectStoreError {
        operation.error(code, detail)
    }

    /// What a failure of the disk means for a caller.
    func error(_ failure: FileFailure) -> ObjectStoreError {
        let code: ObjectStoreError.Code =
            switch failure.code {
            case .missing: .notFound
            case .alreadyExists: .alreadyExists
            case .notPermitted: .unauthorized
            case .tooLarge: .tooLarge
            case .invalidName: .invalidRequest
            // Passes when somebody makes room.
            case .full, .disk: .serverError
            }
        return error(code, failure.description)
    }

    func doing<Value>(_ work: () throws(FileFailure) -> Value) throws(ObjectStoreError) -> Value {
        do throws(FileFailure) { return try work() } catch { throw self.error(error) }
    }

    /// Whether an object may be stored where another one is, or none.
    func check(_ condition: PutOptions.Condition, _ old: ObjectRecord?) throws(ObjectStoreError) {
        switch condition {
        case .absent: if old != nil { throw error(.alreadyExists, "another object has the key") }
        case .matches(let tag):
            guard old?.digest == tag else {
                throw error(.conditionFailed, old == nil ? "there is no object" : "the object is another one")
            }
        case .any: break
        }
    }

    func check(_ options: PutOptions) throws(ObjectStoreError) {
        guard StoreText.isMediaType(options.contentType) else {
            throw error(.invalidRequest, "“\(options.contentType)” is not a media type")
        }
        guard StoreText.isMetadata(options.metadata) else {
            throw error(.invalidRequest, "the metadata has names or values that no store keeps")
        }
    }
}
