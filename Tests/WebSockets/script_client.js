// What a client with the WebSocket of web browsers exchanges with `lenssim serve echo`: in Node and in Chromium alike.
// Returns lines, `✔ …` or `✘ …`. Such a client cannot send pings or fragments, nor codes other than 1000 and 3000 to 4999,
// and learns no status of a refusal.
async function exchange(address, codes, statuses) {
    const lines = [];
    const check = (holds, text) => lines.push(`${holds ? "✔" : "✘"} ${text}`);
    const patience = 60_000;

    // The events of a connection, in order.
    const open = (path) => {
        const socket = new WebSocket(address + path);
        socket.binaryType = "arraybuffer";
        const events = [], waiting = [];
        for (const kind of ["open", "message", "error", "close"]) {
            socket.addEventListener(kind, (event) => {
                const next = waiting.shift();
                if (next) next(event); else events.push(event);
            });
        }
        const next = () => new Promise((resolve, reject) => {
            if (events.length) return resolve(events.shift());
            const timer = setTimeout(() => reject(new Error("nothing comes")), patience);
            waiting.push((event) => { clearTimeout(timer); resolve(event); });
        });
        return { socket, next };
    };

    const large = 4 * 1024 * 1024;
    const text = "Grüße, 世界 🌍 ".repeat(large / 24);
    const bytes = new Uint8Array(large).map((_, index) => index * 7);
    {
        const { socket, next } = open("/");
        check((await next()).type === "open", "the connection opens");
        check(socket.extensions === "", "compression is offered, and not accepted");
        socket.send(text);
        socket.send(bytes);
        check((await next()).data === text, "4 MB of text come back");
        const back = new Uint8Array((await next()).data);
        check(back.length === large && back.every((byte, index) => byte === bytes[index]), "4 MB of bytes come back");
        socket.close();
        const end = await next();
        check(end.code === 1005 && end.wasClean, "a close without a code is answered without one");
    }

    const mine = codes.filter((code) => code === 1000 || code >= 3000), wrong = [];
    for (const code of mine) {
        const { socket, next } = open("/");
        await next();
        socket.close(code, "bye-für-heute");
        const end = await next();
        if (end.code !== code || end.reason !== "bye-für-heute" || !end.wasClean) wrong.push([code, end.code, end.reason]);
    }
    check(!wrong.length, `${mine.length} close codes of its own are answered ${wrong.join(" ")}`);

    for (const code of codes) {
        const { socket, next } = open(`/close/${code}/reason`);
        await next();
        socket.send("last");
        const last = await next(), end = await next();
        if (last.data !== "last" || end.code !== code || end.reason !== "reason" || !end.wasClean) wrong.push([code, end.code]);
    }
    check(!wrong.length, `${codes.length} close codes arrive with their reasons ${wrong.join(" ")}`);

    for (const path of [...statuses.map((status) => `/status/${status}`), "/close/1006"]) {
        const { socket, next } = open(path);
        let event = await next();
        if (path === "/close/1006") { socket.send("last"); await next(); event = await next(); }
        while (event.type === "error") event = await next();
        if (event.type !== "close" || event.code !== 1006 || event.wasClean) wrong.push([path, event.type, event.code]);
    }
    check(!wrong.length, `refusals and a cut connection are unclean ends ${wrong.join(" ")}`);
    return lines;
}
