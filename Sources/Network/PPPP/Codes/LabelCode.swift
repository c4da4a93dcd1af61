/// The code on the label of a camera of the VStarcam family, such as `{"ACT":"Add","ID":"VSTB123456ABCDE","WiFi":"21","S":"0"}`.
///
/// Source: public descriptions of the vendor's application. Labels of newer cameras show a virtual ID, which the vendor's service
/// replaces by the ID of the protocol: such a camera is not found by the ID on its label.
public struct LabelCode: Sendable, Hashable {
    /// The camera, as its label says.
    public let id: DeviceID
    /// How the camera comes to its network, as a number of the vendor's; `nil` where the label does not say it.
    public let joining: Int?

    /// Makes a label.
    public init(id: DeviceID, joining: Int? = nil) { (self.id, self.joining) = (id, joining) }

    /// Reads what a code says.
    ///
    /// Fields of other names are passed over.
    public init(_ bytes: [UInt8]) throws(CodeError) {
        let object = try CodeObject(bytes)
        guard let act = try object.text("ACT") else { throw .missing(field: "ACT") }
        guard act == "Add" else { throw .invalid(field: "ACT", reason: "is not “Add”") }
        guard let text = try object.text("ID") else { throw .missing(field: "ID") }
        guard let id = DeviceID(text) else {
            throw .invalid(field: "ID", reason: "is no ID such as VSTB-123456-ABCDE")
        }
        var joining: Int?
        if let text = try object.text("WiFi") {
            // 9 and A are two numbers of the vendor's: a few are written in hexadecimal digits.
            joining = text == "A" ? 9 : Int(text)
            guard let joining, (0...99).contains(joining) else {
                throw .invalid(field: "WiFi", reason: "is not a number of the vendor's")
            }
        }
        self.init(id: id, joining: joining)
    }

    /// What the code says.
    public var text: String {
        let id = id.description.filter { $0 != "-" }
        return CodeObject.text([("ACT", "Add"), ("ID", id), ("WiFi", joining.map(String.init)), ("S", "0")])
    }
}
