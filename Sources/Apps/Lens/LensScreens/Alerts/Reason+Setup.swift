internal import Lens
internal import Services

extension Reason {
    /// Why a new camera was not set up, in words for people.
    init(_ error: CameraSetupError) {
        switch error {
        case .pictures(let cause), .notSaved(let cause), .notConnected(let cause): self.init(cause)
        case .picture(.pictureTooLarge):
            self.init(
                "The picture is too large to look for a label.",
                "Choose smaller pictures in the settings."
            )
        case .picture, .code(.unavailable), .code(.undecodable), .code(.noText), .code(.pictureTooLarge):
            self.init("The code could not be read or made.", "Try again.")
        case .label:
            self.init(
                "This is not the label of a Wi-Fi camera.",
                "Show the code that is printed on the camera."
            )
        case .network(.unusablePassword):
            self.init(
                "This password cannot be told to a camera.",
                "A Wi-Fi password has 8 to 63 characters, or 64 hexadecimal digits. Enter it as it is set at the access point."
            )
        case .network(.unusableRouter):
            self.init("This is not a valid access-point address.", "Leave it out.")
        case .network:
            self.init(
                "This name cannot be told to a camera.",
                "Enter the name of the Wi-Fi network, of 1 to 32 bytes."
            )
        case .code(.textTooLong):
            self.init(
                "The name and the password are too long for a code.",
                "Shorten them at the access point."
            )
        case .didNotJoin(_, let seconds, let failure):
            if let failure {
                self.init(failure)
            } else {
                self.init(
                    "The camera did not come into the network within \(seconds) seconds.",
                    "See that name and password are right, hold the codes before the camera, and try again."
                )
            }
        case .wrongStep: self.init("This cannot be done now.", "Begin again.")
        }
    }
}
