import PeerKit

/// What a model is allowed to call, and how values are described to it.
extension ContentShapes {
    /// The subset of OpenAPI in which parameters and answers are described; it nests as deep as JSON is read.
    static let schema = MessageShape(fields: [
        "type": .choice(
            type: "Type",
            // The service's examples write them in small letters too.
            [
                "TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL",
                "string", "number", "integer", "boolean", "array", "object", "null",
            ]
        ),
        "format": .string, "title": .string, "description": .string, "nullable": .bool,
        "enum": .list(.string), "items": .itself, "max_items": .number, "min_items": .number,
        "properties": .map(.itself), "required": .list(.string), "property_ordering": .list(.string),
        "min_properties": .number, "max_properties": .number, "minimum": .number, "maximum": .number,
        "min_length": .number, "max_length": .number, "pattern": .string,
        "any_of": .list(.itself), "default": .value, "example": .value,
        "additional_properties": .value, "ref": .string, "defs": .map(.itself),
    ])

    /// A function that the client offers.
    static let functionDeclaration = MessageShape(fields: [
        "name": .string, "description": .string,
        "parameters": .message(schema), "parameters_json_schema": .value,
        "response": .message(schema), "response_json_schema": .value,
        "behavior": .choice(
            type: "FunctionDeclaration.Behavior",
            ["UNSPECIFIED", "BLOCKING", "NON_BLOCKING"]
        ),
    ])

    /// Functions of the client, or one of the service's own tools.
    static let tool = MessageShape(fields: [
        "function_declarations": .list(.message(functionDeclaration)),
        "google_search": .message(
            MessageShape(fields: [
                "time_range_filter": .message(interval),
                "search_types": .message(
                    MessageShape(fields: [
                        "web_search": .message(nothing), "image_search": .message(nothing),
                    ])
                ),
            ])
        ),
        "google_search_retrieval": .message(
            MessageShape(fields: [
                "dynamic_retrieval_config": .message(
                    MessageShape(fields: [
                        "mode": .choice(
                            type: "DynamicRetrievalConfig.Mode",
                            ["MODE_UNSPECIFIED", "MODE_DYNAMIC"]
                        ),
                        "dynamic_threshold": .number,
                    ])
                )
            ])
        ),
        "code_execution": .message(nothing), "url_context": .message(nothing),
        "google_maps": .message(MessageShape(fields: ["enable_widget": .bool])),
        "computer_use": .message(
            MessageShape(fields: [
                "environment": .choice(
                    type: "ComputerUse.Environment",
                    [
                        "ENVIRONMENT_UNSPECIFIED", "ENVIRONMENT_BROWSER", "ENVIRONMENT_MOBILE",
                        "ENVIRONMENT_DESKTOP",
                    ]
                ),
                "excluded_predefined_functions": .list(.string),
            ])
        ),
        "file_search": .message(
            MessageShape(fields: [
                "file_search_store_names": .list(.string), "top_k": .number, "metadata_filter": .string,
            ])
        ),
        "mcp_servers": .list(
            .message(
                MessageShape(fields: [
                    "name": .string,
                    "streamable_http_transport": .message(
                        MessageShape(fields: [
                            "url": .string, "headers": .map(.string), "timeout": .string,
                            "sse_read_timeout": .string, "terminate_on_close": .bool,
                        ])
                    ),
                ])
            )
        ),
    ])

    /// How tools are to be used.
    static let toolConfig = MessageShape(fields: [
        "function_calling_config": .message(
            MessageShape(fields: [
                "mode": .choice(
                    type: "FunctionCallingConfig.Mode",
                    ["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]
                ),
                "allowed_function_names": .list(.string),
            ])
        ),
        "retrieval_config": .message(
            MessageShape(fields: [
                "lat_lng": .message(MessageShape(fields: ["latitude": .number, "longitude": .number])),
                "language_code": .string,
            ])
        ),
        "include_server_side_tool_invocations": .bool,
    ])

    /// A message without fields.
    static let nothing = MessageShape(fields: [:])

    private static let interval = MessageShape(fields: ["start_time": .string, "end_time": .string])
}
