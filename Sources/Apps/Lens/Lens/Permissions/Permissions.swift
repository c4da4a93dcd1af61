public import Concurrency
public import Services

/// What the user has allowed the app to use.
public struct PermissionStates: Sendable, Hashable, Codable {
    /// The camera.
    public var camera: PermissionStatus = .notDetermined
    /// The microphone.
    public var microphone: PermissionStatus = .notDetermined

    /// Creates states in which nothing is decided.
    public init() {}

    /// What is decided about one permission.
    public subscript(permission: DevicePermission) -> PermissionStatus {
        get {
            switch permission {
            case .camera: camera
            case .microphone: microphone
            }
        }
        set {
            switch permission {
            case .camera: camera = newValue
            case .microphone: microphone = newValue
            }
        }
    }
}

/// Knows the app's permissions, and asks for each at most once at a time.
public actor Permissions {
    /// What was known at the last look.
    public nonisolated var states: Published<PermissionStates> { currentStates.published }

    private let currentStates = CurrentValue(PermissionStates())
    private let authority: any PermissionAuthority
    private var questions: [DevicePermission: SharedTask<PermissionStatus>] = [:]

    /// Creates the permissions that an authority decides.
    public init(_ authority: any PermissionAuthority) { self.authority = authority }

    /// Looks at what is decided, without asking anybody, and publishes it.
    @discardableResult
    public func check() -> PermissionStates {
        var states = states.value
        for permission in DevicePermission.allCases { states[permission] = authority.status(of: permission) }
        if states != self.states.value { currentStates.set(states) }
        return states
    }

    /// Asks for a permission about which nothing is decided, publishes the decision and returns it.
    ///
    /// Callers at the same time share one question. One that is cancelled receives what is decided until then.
    public func request(_ permission: DevicePermission) async -> PermissionStatus {
        let known = check()[permission]
        guard known == .notDetermined else { return known }
        let question: SharedTask<PermissionStatus>
        if let open = questions[permission], !open.isDone, !open.isAbandoned {
            question = open
        } else {
            question = SharedTask { [authority] _ in await authority.request(permission) }
            questions[permission] = question
        }
        let decision = await question.value()
        let present = check()[permission]
        return decision ?? present
    }
}
