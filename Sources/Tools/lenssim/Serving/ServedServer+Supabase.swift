import ArgumentParser
import CommandKit
import ScenarioKit
import SupabaseServer

/// Somebody who may sign in, as `EMAIL:PASSWORD`.
struct UserArgument: ExpressibleByArgument, Hashable {
    let email: String
    let password: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].split(separator: "@").count == 2 else { return nil }
        (email, password) = (String(parts[0]), String(parts[1]))
    }
}

extension ServedServer {
    /// A simulated Supabase whose clients may upload to one public bucket.
    ///
    /// - Parameters:
    ///   - folder: Where it keeps its objects; `nil` for memory only.
    ///   - secret: What it signs its keys with; `nil` for the one that is public.
    ///   - users: Who may sign in, besides those who sign up.
    /// - Throws: `FolderUnusable`.
    static func supabase(folder: String?, secret: String?, users: [UserArgument]) throws -> ServedServer {
        var project = SupabaseProject.uploads(to: bucket, folder: folder)
        project.signIn.users = users.map { .init($0.email, password: $0.password) }
        // On a disk of one's own there is room for films.
        if folder != nil { project.sizeLimit = 512 << 20 }
        if let secret { project.secret = secret }
        let server: SupabaseServer
        do { server = try SupabaseServer(project) } catch {
            guard let folder else { throw error }
            throw FolderUnusable(path: folder, error)
        }
        let known = server.project
        return ServedServer(server, faults: server.faults) { address in
            [
                .init(label: "URL", key: "url", value: address, isKnown: true),
                .init(label: "bucket", key: "bucket", value: bucket),
                .init(label: "anon key", key: "anonKey", value: known.anonymousKey),
                .init(label: "service key", key: "serviceKey", value: known.serviceKey),
                .init(label: "publishable key", key: "publishableKey", value: known.publishableKey),
                .init(label: "secret key", key: "secretKey", value: known.secretKey),
            ]
        }
    }

    private static let bucket = "lens"
}
