"""A Nova on FastAPI and uvicorn that keeps its posts in SQLite, for comparison.

    service.py PORT DATABASE PUBLIC-KEY

Does what a service does for a page of the feed: the signature of the token is checked (RS256), the query is checked, posts, people and counts come from
the database in one query, and each post is a Pydantic model in the answer.
"""

import pathlib
import sqlite3
import sys
import typing

import fastapi
import jwt
import pydantic
import uvicorn

app = fastapi.FastAPI()
port, database, key = int(sys.argv[1]), sqlite3.connect(sys.argv[2], check_same_thread=False), pathlib.Path(sys.argv[3]).read_text()
PAGE = """
SELECT posts.id, image_url, caption, created_at, users.id, username, display_name, avatar_url, bio,
    (SELECT count(*) FROM likes WHERE post = posts.id), (SELECT count(*) FROM comments WHERE post = posts.id),
    EXISTS (SELECT 1 FROM likes WHERE post = posts.id AND user = ?)
FROM posts JOIN users ON users.id = posts.author ORDER BY number DESC LIMIT ? OFFSET ?
"""


class User(pydantic.BaseModel):
    id: str
    username: str
    display_name: str
    avatar_url: str | None
    bio: str | None


class Post(pydantic.BaseModel):
    id: str
    author: User
    image_url: str | None
    caption: str | None
    like_count: int
    comment_count: int
    is_liked: bool
    created_at: str


class Page(pydantic.BaseModel):
    posts: list[Post]
    has_more: bool


def viewer(authorization: typing.Annotated[str, fastapi.Header()] = ""):
    try:
        return jwt.decode(authorization.removeprefix("Bearer "), key, algorithms=["RS256"])["sub"]
    except jwt.PyJWTError:
        raise fastapi.HTTPException(401, "unauthorized") from None


@app.get("/feed")
async def feed(
    user: typing.Annotated[str, fastapi.Depends(viewer)],
    page: typing.Annotated[int, fastapi.Query(ge=0)] = 0,
    limit: typing.Annotated[int, fastapi.Query(ge=1, le=50)] = 20,
) -> Page:
    rows = database.execute(PAGE, (user, limit + 1, page * limit)).fetchall()
    posts = [
        Post(
            id=row[0], image_url=row[1], caption=row[2], created_at=row[3], like_count=row[9], comment_count=row[10], is_liked=row[11],
            author=User(id=row[4], username=row[5], display_name=row[6], avatar_url=row[7], bio=row[8]),
        )
        for row in rows[:limit]
    ]
    return Page(posts=posts, has_more=len(rows) > limit)


uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)
