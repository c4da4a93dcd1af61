/// Why the file of a recording could not be used.
public enum SessionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no such file.
    case missing(path: String)
    /// The file is something else.
    case notASession(path: String)
    /// The file is a recording of a version that this program does not know.
    case otherVersion(path: String, found: Int, known: Int)
    /// The file is damaged, for example cut short.
    case damaged(path: String, detail: String)
    /// The file is whole, and does not have what its screens showed.
    case withoutScreens(path: String)
    /// It has screens that the app on whose page it is to be shown does not have.
    case ofAnotherApp(path: String, app: String)
    /// The file may not be read, or not be replaced.
    case notAllowed(path: String, operation: String)
    /// Something else is in the place of the file that was to be written.
    case occupied(path: String, isFolder: Bool)
    /// Another process writes the file just now.
    case busy(path: String)
    /// The file cannot be written.
    case unwritable(path: String, detail: String)

    /// What is wrong, with which file, and what to do.
    public var description: String {
        switch self {
        case .missing(let path): "there is no recording at \(path)"
        case .notASession(let path): "\(path) is not a LensSim recording"
        case .otherVersion(let path, let found, let known):
            "\(path) is a recording of version \(found), and this program reads version \(known): "
                + (found > known
                    ? "use a newer lenssim" : "record it again, or use the lenssim that recorded it")
        case .damaged(let path, let detail): "the recording \(path) is damaged: \(detail)"
        case .withoutScreens(let path):
            "the recording \(path) cannot be shown: it does not have what the screens showed. "
                + "Record an app with its --record, with lenssim demo, or a scenario in which somebody uses one"
        case .ofAnotherApp(let path, let app):
            "the recording \(path) is not one of \(app): it has other screens. "
                + "lenssim replay FILE --open shows recordings of all apps that it knows"
        case .notAllowed(let path, let operation):
            "there is no permission to \(operation) \(path): ask its owner, or choose another file"
        case .occupied(let path, let isFolder):
            "\(path) is \(isFolder ? "a folder" : "not a LensSim recording"), and stays as it is: "
                + "choose another name for the recording, or move it away"
        case .busy(let path):
            "another process is writing the recording \(path): wait for its end, or choose another file"
        case .unwritable(let path, let detail): "the recording \(path) cannot be written: \(detail)"
        }
    }
}
