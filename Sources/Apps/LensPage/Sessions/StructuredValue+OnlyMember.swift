import Services

extension StructuredValue {
    /// The name of an object's only member, as an action is written.
    var onlyMember: String? {
        guard case .object(let members) = self, members.count == 1 else { return nil }
        return members.first?.key
    }
}
