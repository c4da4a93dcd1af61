/// Where a flow is shown: a window, a page.
@MainActor
public protocol FlowHost: AnyObject {
    /// Shows a flow, in the place of any other.
    func show(_ screens: FlowScreens)

    /// Takes the flow away that is shown.
    func dismiss()
}
