import FlowServer
import Foundation
import LensScenarios
import SupabaseServer

/// What clients of a served service prove themselves with.
struct ServedKeys {
    /// The key of the model.
    let modelKey: String
    /// What the store signs its keys with; `nil` for the one that is public.
    let storeSecret: String?
    /// The password of the camera; `nil` for the one that such cameras have before it is changed.
    let cameraPassword: String?
    /// Client, secrets and code of the backend of Flow.
    var flow: FlowProject

    /// The same in every run, and known to every reader of the sources.
    static let constant = ServedKeys(
        modelKey: LensOptions.modelKey,
        storeSecret: nil,
        cameraPassword: nil,
        flow: FlowProject()
    )

    /// Keys for one run, which nobody can guess.
    static func drawn() -> ServedKeys {
        ServedKeys(
            modelKey: "simulated-" + random(),
            storeSecret: random(),
            // As long as apps of such cameras take.
            cameraPassword: String(random().prefix(16)),
            flow: FlowProject(
                clientSecret: random(),
                signingSecret: random(),
                verificationCode: (0..<6).map { _ in "\(Int.random(in: 0...9))" }.joined()
            )
        )
    }

    /// 256 bits of the system's generator, in hexadecimal.
    private static func random() -> String {
        (0..<4).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
