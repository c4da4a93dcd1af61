import Concurrency
import Lens
import Services
import SimulatedDevice
import Simulation
import Testing

@Suite("Permissions", .timeLimit(.minutes(10)))
struct PermissionTests {
    @Test("LENS-010 camera and microphone have states of their own, of which each value is published")
    func separate() async throws {
        #expect(PermissionStatus.allCases == [.notDetermined, .granted, .denied])
        for camera in PermissionStatus.allCases {
            for microphone in PermissionStatus.allCases {
                let authority = SimulatedPermissions(
                    .init(decided: [.camera: camera, .microphone: microphone])
                )
                let permissions = Permissions(authority)
                #expect(permissions.states.value == PermissionStates())
                await permissions.check()
                #expect(permissions.states.value.camera == camera)
                #expect(permissions.states.value.microphone == microphone)
                #expect(authority.questions.isEmpty)
            }
        }
    }

    @Test(
        "LENS-011 what is not decided is asked once and its outcome published, and nobody is asked again",
        arguments: [PermissionStatus.granted, .denied]
    )
    func once(answer: PermissionStatus) throws {
        try Simulation(seed: 1).run {
            let authority = SimulatedPermissions(.init(answers: [.microphone: answer], thinking: .seconds(9)))
            let prompts = CurrentValue(0)
            let permissions = Permissions(PromptingAuthority(base: authority, prompts: prompts))
            // Two while the user thinks share a question.
            async let one = permissions.request(.microphone)
            try await Task.sleep(for: .seconds(3))
            async let other = permissions.request(.microphone)
            #expect(await one == answer)
            #expect(await other == answer)
            #expect(permissions.states.value.microphone == answer)
            #expect(permissions.states.value.camera == .notDetermined)
            #expect(await permissions.request(.microphone) == answer)
            #expect(authority.questions == [.microphone] && prompts.value == 1)
        }
    }

    @Test func `a question that is left open may be asked again`() async throws {
        let authority = SimulatedPermissions(.init(answers: [:]))
        let permissions = Permissions(authority)
        #expect(await permissions.request(.camera) == .notDetermined)
        #expect(await permissions.request(.camera) == .notDetermined)
        #expect(authority.questions == [.camera, .camera])
        authority.decide(.camera, .granted)
        #expect(await permissions.request(.camera) == .granted)
        #expect(authority.questions.count == 2)
    }

    @Test func `a camera about which the user has not answered is not opened, and is once it is allowed`()
        async throws
    {
        let fixture = try AppFixture(permissions: .init(answers: [:]))
        await #expect(throws: CameraError.permissionDenied) { try await fixture.app.camera.switchTo(.local) }
        #expect(fixture.local.calls.value.isEmpty && fixture.permissions.questions == [.camera])
        #expect(fixture.app.permissions.value.camera == .notDetermined)
        fixture.permissions.decide(.camera, .granted)
        try await fixture.app.camera.switchTo(.local)
        #expect(fixture.app.camera.status.value.state == .connected)
    }

    @Test("LENS-003 a launch publishes both permissions, asks nobody, and goes on where they are denied")
    func launch() async throws {
        let fixture = try AppFixture(
            permissions: .init(decided: [.camera: .denied, .microphone: .denied])
        )
        let report = await fixture.app.launch()
        #expect(fixture.app.permissions.value.camera == .denied)
        #expect(fixture.app.permissions.value.microphone == .denied)
        #expect(report.permissions == fixture.app.permissions.value)
        #expect(report.steps == LaunchReport.Step.allCases && report.problems.isEmpty)
        #expect(fixture.permissions.questions.isEmpty)
        await fixture.app.shutdown()
    }

    @Test func `connecting the local camera asks for it once, the one on the network does not`() async throws
    {
        let fixture = try AppFixture()
        try await fixture.app.camera.switchTo(.veepaWiFi)
        #expect(fixture.permissions.questions.isEmpty)
        try await fixture.app.camera.switchTo(.local)
        await fixture.app.camera.disconnect()
        try await fixture.app.camera.connect()
        #expect(fixture.permissions.questions == [.camera])
        #expect(fixture.app.permissions.value.camera == .granted)
    }
}

/// A platform that shows its question whenever it is asked to.
private struct PromptingAuthority: PermissionAuthority {
    let base: SimulatedPermissions
    let prompts: CurrentValue<Int>

    func status(of permission: DevicePermission) -> PermissionStatus { base.status(of: permission) }

    func request(_ permission: DevicePermission) async -> PermissionStatus {
        prompts.update { $0 += 1 }
        return await base.request(permission)
    }
}
