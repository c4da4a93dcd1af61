internal import Foundation
public import ScreenKit

/// The first step as it is typed.
public struct Step1Model: StepModel {
    /// Which step it is.
    public static let step: FlowStep = .step1
    /// The whole name.
    public var fullName: String = ""
    /// A day of the calendar: `1990-12-31`.
    public var dateOfBirth: String = ""

    /// Nothing is typed.
    public init() {}

    /// What is wrong with it; empty where nothing is.
    public func validate() -> [FieldError] {
        var errors: [FieldError] = []
        if fullName.trimmingBlanks.isEmpty { errors.append(FieldError("fullName", "Enter your name.")) }
        let style = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        let day = dateOfBirth.trimmingBlanks
        // A 30 February would be read as a day of March.
        let date = (try? style.parse(day)).flatMap { $0.formatted(style) == day ? $0 : nil }
        if date == nil {
            errors.append(FieldError("dateOfBirth", "Enter a date, such as 1990-12-31."))
        } else if let date, date > Date() {
            errors.append(FieldError("dateOfBirth", "Enter a date in the past."))
        }
        return errors
    }

    /// What is sent: texts without blanks around them.
    public var submission: StepSubmission {
        .step1(Step1Data(fullName: fullName.trimmingBlanks, dateOfBirth: dateOfBirth.trimmingBlanks))
    }
}

/// The second step as it is typed.
public struct Step2Model: StepModel {
    /// Which step it is.
    public static let step: FlowStep = .step2
    /// Street and number.
    public var address: String = ""
    /// The city.
    public var city: String = ""

    /// Nothing is typed.
    public init() {}

    /// What is wrong with it; empty where nothing is.
    public func validate() -> [FieldError] {
        var errors: [FieldError] = []
        if address.trimmingBlanks.isEmpty { errors.append(FieldError("address", "Enter street and number.")) }
        if city.trimmingBlanks.isEmpty { errors.append(FieldError("city", "Enter the city.")) }
        return errors
    }

    /// What is sent: texts without blanks around them.
    public var submission: StepSubmission {
        .step2(Step2Data(address: address.trimmingBlanks, city: city.trimmingBlanks))
    }
}

/// The third step as it is filled in.
public struct Step3Model: StepModel {
    /// Which step it is.
    public static let step: FlowStep = .step3
    /// Whether all that was given is right, and may be used.
    public var acceptsTerms: Bool = false

    /// Nothing is typed.
    public init() {}

    /// What is wrong with it; empty where nothing is.
    public func validate() -> [FieldError] {
        acceptsTerms ? [] : [FieldError("acceptsTerms", "Confirm what you have entered.")]
    }

    /// What is sent: texts without blanks around them.
    public var submission: StepSubmission { .step3(Step3Data(acceptsTerms: acceptsTerms)) }
}

extension String {
    /// Without blanks and line ends around it, as text is sent.
    var trimmingBlanks: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
