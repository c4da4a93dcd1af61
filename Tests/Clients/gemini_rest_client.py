"""Google's own Python client asks `lenssim serve gemini` over REST, for words and files.

Usage: gemini_rest_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import asyncio
import io
import json
import os
import pathlib
import sys
import tempfile
import time
import typing
import urllib.request

import pydantic
from google import genai
from google.genai import errors, types
from peer import check, served

lenssim, package = sys.argv[1], pathlib.Path(sys.argv[2])
MODEL = "gemini-2.5-flash"
PHOTO = package / "Fixtures/Images/folder/photo-2.jpg"


class Sight(pydantic.BaseModel):
    """What a structured answer has to look like."""

    title: str
    count: int
    kind: typing.Literal["photo", "drawing"]
    tags: list[str]


def client(address, key, version="v1beta"):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=address, api_version=version))


def refusal(action):
    """The error that an action ends with, or nothing."""
    try:
        action()
    except errors.APIError as error:
        return error
    return None


def generate(gemini):
    answer = gemini.models.generate_content(model=MODEL, contents="Good morning")
    check("Good morning" in answer.text, f"words are answered: {answer.text}")
    check(answer.candidates[0].finish_reason == types.FinishReason.STOP, "the answer ends by itself")
    check(answer.model_version == MODEL and answer.response_id, "it names its model, and has an id")
    usage = answer.usage_metadata
    check(
        usage.total_token_count == usage.prompt_token_count + usage.candidates_token_count > 0,
        f"what it costs adds up: {usage.total_token_count} tokens",
    )
    config = types.GenerateContentConfig(
        system_instruction="Be brief.",
        temperature=0.5,
        top_k=20,
        max_output_tokens=4,
        stop_sequences=["never said"],
        safety_settings=[
            types.SafetySetting(
                category=types.HarmCategory.HARM_CATEGORY_HARASSMENT,
                threshold=types.HarmBlockThreshold.BLOCK_ONLY_HIGH,
            )
        ],
    )
    cut = gemini.models.generate_content(model=MODEL, contents="Good morning", config=config)
    check(cut.candidates[0].finish_reason == types.FinishReason.MAX_TOKENS, "an answer ends after four tokens")
    check(len(cut.text.encode()) <= 16, f"and is no longer than they are: {cut.text!r}")


def stream(gemini):
    chunks = list(gemini.models.generate_content_stream(model=MODEL, contents="Tell me more"))
    text = "".join(chunk.text or "" for chunk in chunks)
    check(len(chunks) > 1 and "Tell me more" in text, f"a stream comes in {len(chunks)} pieces")
    reasons = [chunk.candidates[0].finish_reason for chunk in chunks]
    check(reasons[-1] == types.FinishReason.STOP and set(reasons[:-1]) <= {None}, "only the last says why it ended")
    check(len({chunk.response_id for chunk in chunks}) == 1, "all of them belong to one response")


def talk(gemini):
    chat = gemini.chats.create(model=MODEL, config={"system_instruction": "Be brief."})
    check("turn 1" in chat.send_message("One").text, "a chat has a first turn")
    for _ in chat.send_message_stream("Two"):
        pass
    history = chat.get_history()
    check(
        sum(entry.role == "model" for entry in history) > 2, f"a streamed turn is several entries of {len(history)}"
    )
    third = chat.send_message("Three").text
    check("turn 3" in third and "Three" in third, "and the third turn is answered as such")


def count(gemini):
    few = gemini.models.count_tokens(model=MODEL, contents="Hello").total_tokens
    many = gemini.models.count_tokens(model=MODEL, contents="Hello, how are you today?").total_tokens
    check(0 < few < many, f"tokens are counted: {few} and {many}")


def models(gemini):
    names = [model.name for model in gemini.models.list(config={"page_size": 1})]
    check(f"models/{MODEL}" in names and len(names) > 1, f"{len(names)} models are listed, one a page")
    model = gemini.models.get(model=MODEL)
    check("generateContent" in model.supported_actions, "the model can generate content")


def see(gemini):
    photo = types.Part.from_bytes(data=PHOTO.read_bytes(), mime_type="image/jpeg")
    answer = gemini.models.generate_content(model=MODEL, contents=["What is this?", photo])
    check("1 frames" in answer.text and "pixels" in answer.text, f"a picture is read: {answer.text}")
    details = {detail.modality: detail.token_count for detail in answer.usage_metadata.prompt_tokens_details}
    check(details[types.MediaModality.IMAGE] >= 258, f"and counted as one: {details}")
    broken = types.Part.from_bytes(data=b"no picture", mime_type="image/jpeg")
    error = refusal(lambda: gemini.models.generate_content(model=MODEL, contents=[broken]))
    check(error and error.code == 400, f"what is no picture is refused: {error}")


def structure(gemini):
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Sight)
    answer = gemini.models.generate_content(model=MODEL, contents="What is this? A drawing.", config=config)
    check(isinstance(answer.parsed, Sight), f"an answer has the structure that it should: {answer.parsed}")
    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_json_schema=Sight.model_json_schema()
    )
    answer = gemini.models.generate_content(model=MODEL, contents="What is this?", config=config)
    check(Sight.model_validate_json(answer.text), "also by a JSON Schema")


def call(gemini):
    calls = []

    def switch_light(room: str, on: bool) -> dict:
        """Switches the light of a room."""
        calls.append((room, on))
        return {"is_on": on}

    declaration = types.FunctionDeclaration.from_callable(client=gemini._api_client, callable=switch_light)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declaration])],
        tool_config=types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(
                mode=types.FunctionCallingConfigMode.ANY, allowed_function_names=["switch_light"]
            )
        ),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    question = types.Content(role="user", parts=[types.Part(text="Light, please")])
    answer = gemini.models.generate_content(model=MODEL, contents=[question], config=config)
    wanted = answer.function_calls[0]
    check(wanted.name == "switch_light" and set(wanted.args) == {"room", "on"}, f"a function is called: {wanted.args}")
    result = types.Part.from_function_response(name="switch_light", response={"output": "the light is on"})
    contents = [question, answer.candidates[0].content, types.Content(role="user", parts=[result])]
    answer = gemini.models.generate_content(
        model=MODEL, contents=contents, config=types.GenerateContentConfig(tools=config.tools)
    )
    check("the light is on" in answer.text, f"and what it gives is used: {answer.text}")

    automatic = types.GenerateContentConfig(tools=[switch_light])
    answer = gemini.models.generate_content(model=MODEL, contents="Call switch_light", config=automatic)
    check(len(calls) == 1 and "is_on" in answer.text, f"the client calls functions by itself: {calls}")


def files(gemini):
    photo = gemini.files.upload(file=PHOTO, config={"display_name": "A photo"})
    check(photo.state == types.FileState.ACTIVE and photo.size_bytes == PHOTO.stat().st_size, f"{photo.name} is uploaded")
    check(gemini.files.get(name=photo.name).display_name == "A photo", "it has its name")
    answer = gemini.models.generate_content(model=MODEL, contents=[photo, "What is this?"])
    check("1 frames" in answer.text, "it is read in a prompt")
    notes = gemini.files.upload(
        file=io.BytesIO(b"Notes" * 2_000_000), config={"mime_type": "text/plain", "name": "files/notes-1"}
    )
    check(notes.name == "files/notes-1" and notes.size_bytes == 10_000_000, "bytes are uploaded in pieces, under a chosen name")
    with tempfile.NamedTemporaryFile(suffix=".mp4") as video:
        video.write(b"video" * 1000)
        video.flush()
        film = gemini.files.upload(file=video.name)
    check(film.state == types.FileState.PROCESSING, "a video is processed first")
    error = refusal(lambda: gemini.models.generate_content(model=MODEL, contents=[film, "What is this?"]))
    check(error and error.code == 400 and "ACTIVE" in error.message, f"and cannot be used meanwhile: {error}")
    end = time.monotonic() + 60
    while gemini.files.get(name=film.name).state == types.FileState.PROCESSING and time.monotonic() < end:
        time.sleep(0.5)
    answer = gemini.models.generate_content(model=MODEL, contents=[film, "What is this?"])
    check(answer.text, "then it can")
    names = [file.name for file in gemini.files.list(config={"page_size": 2})]
    check(names == [film.name, notes.name, photo.name], f"{len(names)} files are listed, two a page")
    gemini.files.delete(name=photo.name)
    error = refusal(lambda: gemini.files.get(name=photo.name))
    check(error and error.code == 403, f"a deleted one is gone: {error}")


def refuse(address, gemini):
    stranger = client(address, "another")
    error = refusal(lambda: stranger.models.generate_content(model=MODEL, contents="Hi"))
    check(error and error.code == 400 and "API key not valid" in error.message, f"a wrong key is refused: {error.message}")
    error = refusal(lambda: gemini.models.generate_content(model="gemini-none", contents="Hi"))
    check(error and error.code == 404 and error.status == "NOT_FOUND", f"an unknown model is not found: {error.message}")
    error = refusal(lambda: list(gemini.models.generate_content_stream(model="gemini-none", contents="Hi")))
    check(error and error.code == 404, "also by a stream")
    empty = types.Content(role="user", parts=[])
    error = refusal(lambda: gemini.models.generate_content(model=MODEL, contents=[empty]))
    check(error and error.code == 400, f"a content without parts is refused: {error.message}")


async def meanwhile(gemini):
    answers = await asyncio.gather(
        *(gemini.aio.models.generate_content(model=MODEL, contents=f"Number {number}") for number in range(4))
    )
    check(
        all(f"Number {number}" in answer.text for number, answer in enumerate(answers)),
        "four are answered at the same time, each its own",
    )
    text = ""
    async for chunk in await gemini.aio.models.generate_content_stream(model=MODEL, contents="Slowly"):
        text += chunk.text or ""
    check("Slowly" in text, "a stream is read asynchronously")
    file = await gemini.aio.files.upload(file=PHOTO)
    answer = await gemini.aio.models.generate_content(model=MODEL, contents=[file, "What is this?"])
    check("1 frames" in answer.text, "so is a file")
    await gemini.aio.files.delete(name=file.name)


def journal(values):
    """What the simulator says of the requests that it has answered."""
    request = urllib.request.Request(
        f"{values['baseURL']}/__lenssim/journal", headers={"x-goog-api-key": values["apiKey"]}
    )
    with urllib.request.urlopen(request) as answer:
        text = answer.read().decode()
    check(values["apiKey"] not in text, "the journal has no key")
    requests = json.loads(text)["requests"]
    check(any(request["path"].endswith(":streamGenerateContent") for request in requests), f"and {len(requests)} requests")


FAULTS = """version: 1
peers:
  - {point: gemini.generate.quota, atMost: 1, with: {retryDelay: 3}}
  - {point: gemini.generate.error, skip: 2, atMost: 1, with: {code: 503}}
"""

SCRIPT = """version: 1
rules:
  - when: {result: look}
    reply: A fine view.
  - when: {text: view}
    reply: {messages: [{text: Let me look., thought: true}, {call: look, id: call-1, arguments: {where: window}}]}
  - when: {text: forbidden}
    reply: {blocked: PROHIBITED_CONTENT}
  - when: {text: quote}
    reply:
      messages: ["He said: ", to be or not to be]
      citations: [{start: 9, end: 27, uri: 'https://example.org/hamlet', license: public domain}]
  - when: {text: unsafe}
    reply: {messages: [Once upon], finish: SAFETY}
"""


def trouble(gemini):
    """With the faults above."""
    error = refusal(lambda: gemini.models.generate_content(model=MODEL, contents="Hi"))
    check(error and error.code == 429 and error.status == "RESOURCE_EXHAUSTED", f"a quota is used up: {error.message}")
    kinds = [detail["@type"].rpartition(".")[2] for detail in error.details["error"]["details"]]
    check(kinds == ["QuotaFailure", "Help", "RetryInfo"], f"with details: {kinds}")
    pieces = []
    error = refusal(
        lambda: pieces.extend(chunk.text for chunk in gemini.models.generate_content_stream(model=MODEL, contents="Hi"))
    )
    check(error and error.code == 503, f"a stream ends with an error: {error}")
    check(gemini.models.generate_content(model=MODEL, contents="Hi").text, "then all is well again")


def follow(gemini):
    """With the script above."""
    config = types.GenerateContentConfig(thinking_config=types.ThinkingConfig(include_thoughts=True))
    chat = gemini.chats.create(model=MODEL, config=config)
    answer = chat.send_message("What a view")
    check(answer.candidates[0].content.parts[0].thought, "a script has the model think")
    call = answer.function_calls[0]
    check((call.id, call.name, call.args) == ("call-1", "look", {"where": "window"}), f"and call: {call}")
    result = types.Part(function_response=types.FunctionResponse(id=call.id, name="look", response={"output": "sea"}))
    check(chat.send_message(result).text == "A fine view.", "and answer to what the call gives")
    blocked = gemini.models.generate_content(model=MODEL, contents="forbidden")
    reason = blocked.prompt_feedback.block_reason
    check(reason == types.BlockedReason.PROHIBITED_CONTENT and not blocked.candidates, f"a prompt is blocked: {reason}")
    two = types.GenerateContentConfig(candidate_count=2)
    quote = gemini.models.generate_content(model=MODEL, contents="quote", config=two)
    check([candidate.index or 0 for candidate in quote.candidates] == [0, 1], "there are two candidates")
    for candidate in quote.candidates:
        [source] = candidate.citation_metadata.citations
        found = (source.start_index, source.end_index, source.uri, source.license)
        check(found == (9, 27, "https://example.org/hamlet", "public domain"), f"with its source: {found}")
    chunks = list(gemini.models.generate_content_stream(model=MODEL, contents="quote"))
    cited = [bool(chunk.candidates[0].citation_metadata) for chunk in chunks]
    check(cited == [False, True], f"which a stream tells at its end: {cited}")
    error = refusal(
        lambda: gemini.models.generate_content(
            model=MODEL, contents="Hi", config=types.GenerateContentConfig(candidate_count=9)
        )
    )
    check(error and error.code == 400, f"nine candidates are too many: {error}")
    unsafe = gemini.models.generate_content(model=MODEL, contents="unsafe")
    check(unsafe.candidates[0].finish_reason == types.FinishReason.SAFETY, "an answer ends for a reason of its own")
    blocking = [rating.category for rating in unsafe.candidates[0].safety_ratings if rating.blocked]
    check(blocking == [types.HarmCategory.HARM_CATEGORY_DANGEROUS_CONTENT], f"and the harm is rated: {blocking}")


with served(lenssim, "gemini", "--tls") as values:
    # The client trusts the certificate of this run, and no other.
    os.environ["SSL_CERT_FILE"] = values["caFile"]
    for version in ("v1", "v1beta"):
        generate(client(values["baseURL"], values["apiKey"], version))
    gemini = client(values["baseURL"], values["apiKey"])
    for part in (stream, talk, count, models, see, structure, call, files):
        part(gemini)
    refuse(values["baseURL"], gemini)
    asyncio.run(meanwhile(gemini))
    journal(values)

for option, text, part in (("--faults", FAULTS, trouble), ("--script", SCRIPT, follow)):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        with served(lenssim, "gemini", "--tls", option, file.name) as values:
            os.environ["SSL_CERT_FILE"] = values["caFile"]
            gemini = client(values["baseURL"], values["apiKey"])
            part(gemini)
