/** A streamed answer has succeeded when its last byte is out: what breaks off half-way is a failure, whatever its status was. */

/** How a streamed body ended. */
export interface BodyEnd {
  /** Why it broke off; undefined when it was read to its end, or when the reader left. */
  readonly error?: unknown;
}

/** The same response; `ended` is called once, when its body has ended one way or another. */
export const watchBody = (response: Response, ended: (end: BodyEnd) => void): Response => {
  if (response.body === null) {
    ended({});
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          ended({});
          controller.close();
        } catch (error) {
          ended({ error });
          controller.error(error);
        }
      },
      async cancel(reason) {
        ended({});
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
};
