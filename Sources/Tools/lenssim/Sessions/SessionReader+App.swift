import AppHost
import SessionPage
import SessionRecording

extension SessionReader {
    /// The app whose page shows it.
    ///
    /// - Throws: `SessionError`: `withoutScreens`, `ofAnotherApp`, `damaged`.
    func shownApp() throws -> ShownApp {
        if let app = try ShownApp.app(of: self, among: Apps.shown) { return app }
        if try screenNames().isEmpty { throw SessionError.withoutScreens(path: path) }
        throw SessionError.ofAnotherApp(
            path: path,
            app: Apps.shown.map(\.name).joined(separator: ", ")
        )
    }
}
