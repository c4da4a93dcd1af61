"""A hub on FastAPI and uvicorn with the list of events of the public hub, for comparison.

    hub.py PORT EVENTS.json TOKEN

Does what that hub does for a page: the token is looked at, the query is checked, and each event is a Pydantic model in the answer. It keeps the events
in memory, as ours, and asks no database.
"""

import json
import sys
import typing

import fastapi
import pydantic
import uvicorn

app = fastapi.FastAPI()
port, events_file, token = int(sys.argv[1]), sys.argv[2], sys.argv[3]


class Event(pydantic.BaseModel):
    id: str
    camera_id: str
    camera_name: str | None
    timestamp: str
    created_at: str
    description: str
    confidence: int
    objects_detected: list[str]
    smart_detection_type: str | None
    is_doorbell_ring: bool
    alert_triggered: bool
    source_type: str
    thumbnail_path: str | None
    thumbnail_base64: str | None
    analysis_mode: str


class Page(pydantic.BaseModel):
    events: list[Event]
    total_count: int
    has_more: bool
    next_offset: int | None
    limit: int
    offset: int


with open(events_file) as file:
    events = [Event(**event) for event in json.load(file)]


def signed_in(authorization: typing.Annotated[str, fastapi.Header()] = ""):
    if authorization != f"Bearer {token}":
        raise fastapi.HTTPException(401, "Not authenticated")


@app.get("/api/v1/events", dependencies=[fastapi.Depends(signed_in)])
async def page(
    limit: typing.Annotated[int, fastapi.Query(ge=1, le=500)] = 50, offset: typing.Annotated[int, fastapi.Query(ge=0)] = 0
) -> Page:
    some, total = events[offset : offset + limit], len(events)
    more = offset + len(some) < total
    return Page(
        events=some, total_count=total, has_more=more, next_offset=offset + len(some) if more else None, limit=limit, offset=offset
    )


uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
