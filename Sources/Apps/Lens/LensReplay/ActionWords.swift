internal import Lens
internal import LensScreens
internal import Services

/// What was done on a screen, in words for people.
enum ActionWords {
    /// The most characters of what a user has typed.
    private static let typedLimit = 40

    private static let retried = "Tried again"
    private static let askedAboutVideo = "Asked about a video"
    private static let closedAlert = "Closed the alert"
    private static let silenced = "Silenced the assistant"

    static func navigation(_ action: NavigationScreen.Action) -> String {
        switch action {
        case .selectTab(let tab): "Opened \(tab.label)"
        case .present(.mediaPreview): "Opened a photo"
        case .present: "Opened a sheet"
        case .dismissSheet: "Closed the sheet"
        case .push: "Entered a place"
        case .pop: "Went back"
        case .open: "Followed a link"
        case .dismissAlert: closedAlert
        }
    }

    static func camera(_ action: CameraScreen.Action) -> String {
        switch action {
        case .start: "Turned the camera on"
        case .stop: "Turned the camera off"
        case .choose: "Chose a camera"
        case .capturePhoto: "Took a photo"
        case .startRecording: "Began to record"
        case .stopRecording: "Ended the recording"
        case .setZoom(let level): "Zoomed to \((level * 10).rounded() / 10)×"
        case .focus: "Focused on a point"
        case .setResolution: "Changed the picture size"
        case .dismissToast: "Closed the message"
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func discovery(_ action: DiscoveryScreen.Action) -> String {
        switch action {
        case .search: "Looked for cameras"
        case .pick: "Picked a camera"
        case .unpick: "Went back to the list of cameras"
        case .setUp: "Set the camera up"
        case .forget: "Forgot the camera"
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func setup(_ action: CameraSetupScreen.Action) -> String {
        switch action {
        case .start: "Began to set up a new camera"
        case .showCode: "Showed the Wi-Fi network to the camera"
        case .cancel: "Ended the setup of the camera"
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func stream(_ action: StreamScreen.Action) -> String {
        switch action {
        case .start: "Started streaming"
        case .stop: "Stopped streaming"
        case .stopSpeaking: silenced
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func gallery(_ action: GalleryScreen.Action) -> String {
        switch action {
        case .select: "Selected a photo"
        case .deselect: "Deselected a photo"
        case .selectAll: "Selected all"
        case .clearSelection: "Cleared the selection"
        case .showEarlier: "Showed earlier photos"
        case .showNewest: "Showed the newest photos"
        case .deleteSelection: "Deleted the selection"
        case .upload: "Uploaded a photo"
        case .analyse: askedAboutVideo
        case .uploadSelection: "Uploaded the selection"
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func preview(_ action: PreviewScreen.Action) -> String {
        switch action {
        case .upload: "Uploaded the photo"
        case .delete: "Deleted the photo"
        case .analyse: askedAboutVideo
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func analysis(_ action: AnalysisScreen.Action) -> String {
        switch action {
        case .ask(let question): "Asked \(quoted(question)) about a video"
        case .stop: "Stopped the answer about a video"
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    private static func quoted(_ text: String) -> String {
        "“\(text.prefix(typedLimit))\(text.count > typedLimit ? "…" : "")”"
    }

    static func chat(_ action: ChatScreen.Action) -> String {
        switch action {
        case .setInput(let text): text.isEmpty ? "Emptied the input" : "Typed \(quoted(text))"
        case .sendMessage: "Sent the message"
        case .say(let text): "Said \(quoted(text))"
        case .showEarlier: "Showed earlier messages"
        case .showNewest: "Showed the newest messages"
        case .clearHistory: "Cleared the conversation"
        case .startListening: "Began to speak"
        case .finishListening: "Ended speaking"
        case .openAttachmentMenu: "Looked what can be attached"
        case .closeAttachmentMenu: "Attached nothing"
        case .attachPhoto: "Attached a photo"
        case .attachVideo: "Attached a video"
        case .attachFrame: "Attached what the camera sees"
        case .removeAttachment: "Removed what was attached"
        case .openVideo: "Opened a video"
        case .closeVideo: "Closed the video"
        case .stopReply: "Stopped the reply"
        case .askAgain: "Asked again"
        case .stopSpeaking: silenced
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }

    static func settings(_ action: SettingsScreen.Action) -> String {
        switch action {
        case .setResolution(let resolution):
            "Chose pictures of \(resolution.size.width) × \(resolution.size.height)"
        case .setFrameRate(let rate): "Set \(rate) pictures a second"
        case .setAutoUpload(let isOn): "Turned automatic uploads \(isOn ? "on" : "off")"
        case .setSpeech(let isOn): "Turned speech \(isOn ? "on" : "off")"
        case .chooseCamera: "Chose a camera"
        case .saveKey: "Kept a key"
        case .testKey: "Tested the key"
        case .deleteKey: "Deleted the key"
        case .retry: retried
        case .dismissAlert: closedAlert
        }
    }
}
