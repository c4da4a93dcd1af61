import Argus
import Synchronization

/// The calls of a hub, of which some fail as a test wants it.
final class FailingAPI: HubAPI {
    private let base: any HubAPI
    private let failures = Mutex<[String: APIError]>([:])

    init(base: any HubAPI) { self.base = base }

    /// Has a call fail: `/events`, `/event`, `/cameras`, `/thumbnail`, `/push`; `nil` heals it.
    func fail(_ call: String, with error: APIError?) { failures.withLock { $0[call] = error } }

    private func pass(_ call: String) throws {
        if let error = failures.withLock({ $0[call] }) { throw error }
    }

    func fetchEvents(page: Int) async throws -> EventsResponse {
        try pass("/events")
        return try await base.fetchEvents(page: page)
    }

    func fetchEventDetail(id: String) async throws -> Event {
        try pass("/event")
        return try await base.fetchEventDetail(id: id)
    }

    func fetchCameras() async throws -> [Camera] {
        try pass("/cameras")
        return try await base.fetchCameras()
    }

    func fetchThumbnail(of event: Event) async throws -> [UInt8] {
        try pass("/thumbnail")
        return try await base.fetchThumbnail(of: event)
    }

    func registerPushToken(_ token: String) async throws {
        try pass("/push")
        try await base.registerPushToken(token)
    }
}

/// The calls of a hub whose cameras have other names each time, which end with a number.
final class RenamingAPI: HubAPI {
    private let base: any HubAPI
    private let count = Mutex(0)

    init(base: any HubAPI) { self.base = base }

    func fetchCameras() async throws -> [Camera] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return try await base.fetchCameras().map { Camera(id: $0.id, name: "\($0.name) \(number)") }
    }

    func fetchEvents(page: Int) async throws -> EventsResponse { try await base.fetchEvents(page: page) }
    func fetchEventDetail(id: String) async throws -> Event { try await base.fetchEventDetail(id: id) }
    func fetchThumbnail(of event: Event) async throws -> [UInt8] { try await base.fetchThumbnail(of: event) }
    func registerPushToken(_ token: String) async throws { try await base.registerPushToken(token) }
}

/// The calls of a hub that does not look at the number of a page.
struct FirstPageAPI: HubAPI {
    let base: any HubAPI

    func fetchEvents(page: Int) async throws -> EventsResponse { try await base.fetchEvents(page: 1) }
    func fetchEventDetail(id: String) async throws -> Event { try await base.fetchEventDetail(id: id) }
    func fetchCameras() async throws -> [Camera] { try await base.fetchCameras() }
    func fetchThumbnail(of event: Event) async throws -> [UInt8] { try await base.fetchThumbnail(of: event) }
    func registerPushToken(_ token: String) async throws { try await base.registerPushToken(token) }
}
