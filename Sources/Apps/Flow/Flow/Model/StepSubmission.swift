/// The data of one step, on their way to the service.
public enum StepSubmission: Sendable, Hashable {
    case step1(Step1Data)
    case step2(Step2Data)
    case step3(Step3Data)

    /// The step whose data they are.
    public var step: FlowStep {
        switch self {
        case .step1: .step1
        case .step2: .step2
        case .step3: .step3
        }
    }
}

extension FlowData {
    /// Whether the data of a step are there.
    public func has(_ step: FlowStep) -> Bool {
        switch step {
        case .step1: step1Data != nil
        case .step2: step2Data != nil
        case .step3: step3Data != nil
        case .completion: false
        }
    }

    /// Takes over the data of a step.
    mutating func take(_ submission: StepSubmission) {
        switch submission {
        case .step1(let data): step1Data = data
        case .step2(let data): step2Data = data
        case .step3(let data): step3Data = data
        }
    }
}
