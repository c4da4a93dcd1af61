import PeerKit

/// The messages that REST and the Live API share, as ai.google.dev/api/caching and ai.google.dev/api/generate-content list them.
///
/// JSON that the API declares as free, such as the arguments of a call, is taken as any object or any value; all other
/// names are checked at every depth.
enum ContentShapes {
    /// Words and media of one speaker.
    static let content = MessageShape(fields: [
        "role": .string, "parts": .list(.message(part)),
    ])

    /// Bytes of a media type, in base64.
    static let blob = MessageShape(fields: ["mime_type": .string, "data": .bytes, "display_name": .string])

    /// A place where a file can be had.
    static let fileData = MessageShape(fields: [
        "file_uri": .string, "mime_type": .string, "display_name": .string,
    ])

    /// One piece of a content.
    static let part = MessageShape(fields: [
        "text": .string, "inline_data": .message(blob), "file_data": .message(fileData),
        "function_call": .message(functionCall), "function_response": .message(functionResponse),
        "executable_code": .message(executableCode),
        "code_execution_result": .message(codeExecutionResult),
        "tool_call": .message(
            MessageShape(fields: ["id": .string, "tool_type": .string, "args": .object])
        ),
        "tool_response": .message(
            MessageShape(fields: ["id": .string, "tool_type": .string, "response": .object])
        ),
        "thought": .bool, "thought_signature": .bytes, "part_metadata": .object,
        "video_metadata": .message(
            MessageShape(fields: ["start_offset": .string, "end_offset": .string, "fps": .number])
        ),
        "media_resolution": .message(
            MessageShape(fields: [
                "level": .choice(
                    type: "PartMediaResolution.Level",
                    [
                        "MEDIA_RESOLUTION_UNSPECIFIED", "MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM",
                        "MEDIA_RESOLUTION_HIGH", "MEDIA_RESOLUTION_ULTRA_HIGH",
                    ]
                ),
                "num_tokens": .number,
            ])
        ),
    ])

    /// What the model wants to be called.
    static let functionCall = MessageShape(fields: ["id": .string, "name": .string, "args": .object])

    /// What a call has given.
    static let functionResponse = MessageShape(fields: [
        "id": .string, "name": .string, "response": .object, "will_continue": .bool,
        "scheduling": .choice(
            type: "FunctionResponse.Scheduling",
            ["SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT"]
        ),
        "parts": .list(
            .message(
                MessageShape(fields: ["inline_data": .message(blob), "file_data": .message(fileData)])
            )
        ),
    ])

    private static let executableCode = MessageShape(fields: [
        "id": .string, "code": .string,
        "language": .choice(type: "ExecutableCode.Language", ["LANGUAGE_UNSPECIFIED", "PYTHON"]),
    ])

    private static let codeExecutionResult = MessageShape(fields: [
        "id": .string, "output": .string,
        "outcome": .choice(
            type: "CodeExecutionResult.Outcome",
            ["OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"]
        ),
    ])

    /// A threshold for one kind of harm.
    static let safetySetting = MessageShape(fields: [
        "category": .choice(
            type: "HarmCategory",
            [
                "HARM_CATEGORY_UNSPECIFIED", "HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_HATE_SPEECH",
                "HARM_CATEGORY_SEXUALLY_EXPLICIT", "HARM_CATEGORY_DANGEROUS_CONTENT",
                "HARM_CATEGORY_CIVIC_INTEGRITY", "HARM_CATEGORY_JAILBREAK", "HARM_CATEGORY_DEROGATORY",
                "HARM_CATEGORY_TOXICITY",
                "HARM_CATEGORY_VIOLENCE", "HARM_CATEGORY_SEXUAL", "HARM_CATEGORY_MEDICAL",
                "HARM_CATEGORY_DANGEROUS",
            ]
        ),
        "threshold": .choice(
            type: "SafetySetting.HarmBlockThreshold",
            [
                "HARM_BLOCK_THRESHOLD_UNSPECIFIED", "BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE",
                "BLOCK_ONLY_HIGH", "BLOCK_NONE", "OFF",
            ]
        ),
    ])
}
