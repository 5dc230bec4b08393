/** Server-sent events by `fetch`, which sends the session's header; an EventSource sends none. */
import { askHost } from "./host-session.ts";

const prefix = "data: ";

const readAll = async (path: string, signal: AbortSignal, take: (data: string) => void): Promise<void> => {
  const { ok, body } = await askHost(path, { signal });
  if (!ok || body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith(prefix)) take(event.slice(prefix.length));
  }
};

/** @param ended runs once when the stream ends or fails by itself. @returns how to leave it. */
export const readEvents = (path: string, take: (data: string) => void, ended: () => void): (() => void) => {
  const leaving = new AbortController();
  void readAll(path, leaving.signal, take)
    .catch(() => undefined)
    .finally(() => {
      if (!leaving.signal.aborted) ended();
    });
  return () => leaving.abort();
};
